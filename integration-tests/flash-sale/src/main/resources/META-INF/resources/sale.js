'use strict';
const byId = id => document.getElementById(id);
const show = (id, text) => { byId(id).textContent = text; };
const POLL_MILLIS = 100;

const items = byId('items');
for (let i = 0; i < 100; i++) items.append(document.createElement('i'));

async function ask(path, method = 'GET') {
  const response = await fetch(path, { method });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

byId('locked').addEventListener('change', event => show('switch-state', event.target.checked ? 'on' : 'off'));

byId('controls').addEventListener('submit', async event => {
  event.preventDefault();
  byId('start').disabled = true;
  document.body.dataset.state = 'running';
  try {
    await run(byId('locked').checked);
  } catch (failure) {
    verdict('bad', String(failure));
  } finally {
    byId('start').disabled = false;
    document.body.dataset.state = 'done';
  }
});

async function run(locked) {
  verdict('idle', locked ? 'One buyer at a time, in the whole cluster.' : 'Everybody at once.');
  show('token', '–');
  const before = await ask('/nodes');
  const sale = await ask(`/sales?locked=${locked}`, 'POST');
  let status;
  do {
    await new Promise(later => setTimeout(later, POLL_MILLIS));
    const [latest, nodes] = await Promise.all([ask(`/sales/${sale.id}`), ask('/nodes')]);
    status = latest;
    showStatus(status);
    showNodes(before, nodes, locked);
  } while (!status.done);
  conclude(status);
  await settle(before, locked);
}

function showStatus(status) {
  show('sold', status.sold);
  show('oversold', status.oversold);
  show('waiting', status.waiting);
  show('left', status.left);
  byId('oversold-card').classList.toggle('bad', status.oversold > 0);
  [...items.children].forEach((item, i) => item.classList.toggle('gone', i >= status.left));
  const [holder] = status.holder;
  show('holder', holder ? holder.node : 'nobody');
  if (holder) show('token', holder.token);
}

function showNodes(before, nodes, locked) {
  const own = nodes.map((node, i) => ({
    name: node.node, holds: node.holds - before[i].holds, micros: node.heldMicros - before[i].heldMicros,
  }));
  const holds = own.reduce((sum, node) => sum + node.holds, 0);
  const micros = own.reduce((sum, node) => sum + node.micros, 0);
  show('hold', locked && holds ? `${(micros / holds / 1000).toFixed(2)} ms` : '–');
  byId('nodes').replaceChildren(...own.map(node => {
    const row = document.createElement('div');
    row.className = 'node';
    const bar = document.createElement('div');
    bar.append(document.createElement('i'));
    bar.firstChild.style.width = `${holds ? 100 * node.holds / holds : 0}%`;
    row.append(node.name, document.createElement('b'), bar);
    row.children[0].textContent = node.holds;
    return row;
  }));
}

/** The events of the last holds arrive a moment after the last answer. */
async function settle(before, locked) {
  showNodes(before, await ask('/nodes'), locked);
  show('holder', 'nobody');
}

function conclude(status) {
  const { sale, sold, oversold, failed, tookMillis } = status;
  if (failed) verdict('bad', `${failed} buyers never got an answer.`);
  else if (oversold) verdict('bad', `Sold ${sold} of ${sale.items}: ${oversold} buyers paid for nothing.`);
  else verdict('good', `Sold exactly ${sold} of ${sale.items}. Nobody paid for nothing.`);
  const row = byId('history').insertRow(0);
  row.insertCell().textContent = sale.locked ? 'on' : 'off';
  row.insertCell().textContent = sold;
  const cell = row.insertCell();
  cell.textContent = oversold;
  cell.className = oversold ? 'bad' : 'good';
  row.insertCell().textContent = `${(tookMillis / 1000).toFixed(1)} s`;
}

function verdict(kind, text) {
  byId('verdict').dataset.kind = kind;
  show('verdict', text);
}
