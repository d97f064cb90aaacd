'use strict';
const byId = id => document.getElementById(id);
const show = (id, text) => { byId(id).textContent = text; };
const POLL_MILLIS = 100;
const later = millis => new Promise(then => setTimeout(then, millis));

const items = byId('items');
for (let i = 0; i < 100; i++) items.append(document.createElement('i'));

async function ask(path, method = 'GET') {
  const response = await fetch(path, { method });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

byId('locked').addEventListener('change', event => show('switch-state', event.target.checked ? 'on' : 'off'));

byId('controls').addEventListener('submit', event => {
  event.preventDefault();
  begin(false);
});
byId('kill').addEventListener('click', () => begin(true));

async function begin(masterDies) {
  byId('start').disabled = byId('kill').disabled = true;
  document.body.dataset.state = 'running';
  try {
    await run(byId('locked').checked, masterDies);
  } catch (failure) {
    verdict('bad', String(failure));
  } finally {
    byId('start').disabled = false;
    document.body.dataset.state = 'done';
    await whenSomebodyCouldTakeOver();
  }
}

/** With sentinels only; and a second time when a replica follows the new master. */
async function whenSomebodyCouldTakeOver() {
  for (;;) {
    const master = await ask('/master');
    if (!master.sentinels) return;
    byId('kill').hidden = byId('fall').hidden = false;
    show('safety', (master.replicaAcks ? `A grant counts when ${master.replicaAcks} of the replicas confirmed it.`
      : 'A grant counts at once, when the master has it.')
      + (master.grace ? ' After a fail-over nobody is granted a lock until the longest lease is over.' : ''));
    if (master.replicas > 0) break;
    await later(500);
  }
  if (document.body.dataset.state !== 'running') byId('kill').disabled = false;
}
whenSomebodyCouldTakeOver();

async function run(locked, masterDies) {
  verdict('idle', locked ? 'One buyer at a time, in the whole cluster.' : 'Everybody at once.');
  show('token', '–');
  const before = await ask('/nodes');
  const sale = await ask(`/sales?locked=${locked}&masterDies=${masterDies}`, 'POST');
  const fall = masterDies ? new Fall() : null;
  let status = { done: false };
  do {
    await later(POLL_MILLIS);
    try {
      const [latest, nodes] = await Promise.all([ask(`/sales/${sale.id}`), ask('/nodes')]);
      status = latest;
      showNodes(before, nodes, locked);
    } catch (failure) {
      if (!fall) throw failure;
      verdict('idle', 'Redis has no master. Buyers wait for the lock.');
      continue;
    }
    showStatus(status);
    if (fall) await fall.seen(status);
  } while (!status.done || fall && !fall.over);
  if (fall) { // the events of the last holds arrive a moment after the last answer
    await later(POLL_MILLIS);
    status = await ask(`/sales/${sale.id}`);
    fall.conclude(status);
  }
  conclude(status);
  await settle(before, locked);
}

/** What the end of the master does to the lock, the token and the stock. */
class Fall {
  constructor() {
    this.over = false;
    for (const what of ['master', 'holder', 'token', 'left']) {
      show(`${what}-before`, '–');
      show(`${what}-after`, '–');
    }
    show('fall-verdict', '');
  }

  async seen(status) {
    if (!status.fall) {
      this.over = status.done; // sold out before it came to that
      return;
    }
    const { master, left, token, holders, afterMillis } = status.fall;
    show('master-before', master);
    show('left-before', left);
    show('token-before', token);
    if (holders.length) show('holder-before', holders[0].node);
    if (status.holder.length) show('holder-after', status.holder[0].node);
    if (!this.promoted) {
      const { address } = await ask('/master');
      if (!address || address === master) return;
      this.promoted = true;
      show('master-after', `${address}, ${((status.tookMillis - afterMillis) / 1000).toFixed(1)} s later`);
    }
    this.over = status.done;
  }

  conclude({ sold, confirmed, oversold, failed, left, token, fall }) {
    if (!fall) return;
    show('left-after', left);
    show('token-after', token);
    const rose = BigInt(token) > BigInt(fall.token);
    const lost = Math.max(0, confirmed - sold);
    byId('fall-verdict').dataset.kind = oversold || lost || !rose ? 'bad' : 'good';
    show('fall-verdict', [rose ? 'The token rose.' : 'The token did not rise.',
      lost ? `${lost} confirmed orders were lost with the master.` : 'No confirmed order was lost.',
      failed ? `${failed} buyers were in the middle of it and got an error.` : ''].join(' ').trim());
  }
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
  const { sale, sold, oversold, failed, tookMillis, fall } = status;
  if (fall) verdict(oversold ? 'bad' : 'good', `Sold ${sold} of ${sale.items}, though the master died.`);
  else if (failed) verdict('bad', `${failed} buyers never got an answer.`);
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
