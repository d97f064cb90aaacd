import { QwcHotReloadElement, html, css } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { notifier } from 'notifier';
import '@vaadin/button';
import '@vaadin/icon';
import '@vaadin/select';
import '@vaadin/text-field';

const REFRESH = 1000; // milliseconds
const PATIENCE = 10; // refreshes: an answer that has not come by then was lost with the connection

/** Who holds locks and waits for them, what was lost, and buttons that make trouble. */
export class QwcLockLocks extends QwcHotReloadElement {

    jsonRpc = new JsonRpc(this, false);

    static styles = css`
        :host { display: block; height: 100%; overflow: auto; padding: 0 20px 20px; }
        h3 { margin: 24px 0 4px; }
        p { margin: 4px 0; color: var(--lumo-secondary-text-color); }
        table { border-collapse: collapse; width: 100%; font-size: var(--lumo-font-size-s); }
        th { text-align: left; color: var(--lumo-secondary-text-color); font-weight: normal; }
        th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--lumo-contrast-10pct); vertical-align: middle; }
        td.name { font-family: monospace; overflow-wrap: anywhere; }
        .bar { display: flex; flex-wrap: wrap; gap: 10px; align-items: baseline; }
        .waiting { color: var(--lumo-warning-text-color); }
        .problem { color: var(--lumo-error-text-color); }
    `;

    static properties = {
        _managers: { state: true },
        _manager: { state: true },
        _name: { state: true },
        _seconds: { state: true },
        _callers: { state: true },
        _more: { state: true },
        _pointed: { state: true },
        _losses: { state: true },
        _prefix: { state: true },
        _stored: { state: true },
    };

    constructor() {
        super();
        this._managers = [];
        this._manager = '<default>';
        this._name = '';
        this._seconds = '10';
        this._callers = null;
        this._more = 0;
        this._pointed = false;
        this._unanswered = 0;
        this._losses = [];
        this._prefix = '';
        this._stored = null;
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
        this._timer = setInterval(() => this._tick(), REFRESH);
    }

    disconnectedCallback() {
        clearInterval(this._timer);
        super.disconnectedCallback();
    }

    hotReload() {
        this.jsonRpc.managers().then(response => this._managers = response.result);
        this._refresh();
        this._list('');
    }

    /** Rows stay where they are while somebody aims at a button, and one question is under way at a time. */
    _tick() {
        if (document.hidden || this._pointed || this._unanswered > 0 && this._unanswered++ < PATIENCE) {
            return;
        }
        this._refresh();
    }

    _refresh() {
        this._unanswered = 1;
        const done = () => this._unanswered = 0;
        this.jsonRpc.callers().then(response => {
            this._callers = response.result.callers;
            this._more = response.result.more;
            return this.jsonRpc.losses();
        }).then(response => this._losses = response.result).then(done, done);
    }

    _list(continuation) {
        this.jsonRpc.stored({ manager: this._manager, prefix: this._prefix, continuation: continuation })
            .then(response => this._stored = response.result);
    }

    render() {
        return html`
            ${this._renderActions()}
            ${this._renderCallers()}
            ${this._renderLosses()}
            ${this._renderStored()}`;
    }

    _renderActions() {
        return html`
            <h3>Try out</h3>
            <div class="bar">
                ${this._managers.length < 2 ? '' : html`
                    <vaadin-select label="Manager" id="manager" .value=${this._manager}
                        .items=${this._managers.map(manager => ({ label: manager.name, value: manager.name }))}
                        @value-changed=${event => this._choose(event.detail.value)}></vaadin-select>`}
                <vaadin-text-field id="name" label="Lock" .value=${this._name}
                    @value-changed=${event => this._name = event.detail.value}></vaadin-text-field>
                <vaadin-text-field id="seconds" label="Seconds" .value=${this._seconds} allowed-char-pattern="[0-9]"
                    @value-changed=${event => this._seconds = event.detail.value}></vaadin-text-field>
                <vaadin-button id="occupy" ?disabled=${!this._name} @click=${() => this._occupy()}
                    title="Holds the lock for this many seconds, so that callers find it busy">Make busy</vaadin-button>
                ${this._renderButtons(this._manager, this._name)}
            </div>`;
    }

    _renderButtonsOf(manager, lock) {
        return lock.addressable ? this._renderButtons(manager, lock.name)
            : html`<span title="The name has half of a character, and cannot be sent">only in code</span>`;
    }

    _renderButtons(manager, name) {
        return html`
            <vaadin-button class="ask" theme="small" ?disabled=${!name} @click=${() => this._requestRelease(manager, name)}
                title="Asks the holders of the lock to finish soon">Ask to release</vaadin-button>
            <vaadin-button class="lose" theme="small error" ?disabled=${!name} @click=${() => this._forceRelease(manager, name)}
                title="Takes the lock away: all its holders lose it">Take away</vaadin-button>`;
    }

    _renderCallers() {
        if (!this._callers) {
            return html`<p>Asking the application ...</p>`;
        }
        return html`
            <h3>Held and waited for in this JVM</h3>
            <div @pointerenter=${() => this._pointed = true} @pointerleave=${() => this._pointed = false}>
            ${this._callers.length === 0 ? html`<p id="nobody">Nobody holds a lock or waits for one.</p>` : html`
                <table id="callers">
                    <tr><th>Lock</th><th></th><th>For</th><th>Made from</th><th>Mode</th><th>Token</th><th>Manager</th><th></th></tr>
                    ${this._callers.map(caller => html`
                        <tr>
                            <td class="name">${caller.name}</td>
                            <td class=${caller.state}>${caller.state}</td>
                            <td>${caller.since}</td>
                            <td class="name">${caller.template ?? 'LockManager'}</td>
                            <td>${caller.mode}</td>
                            <td>${caller.state === 'held' ? caller.fencingToken : ''}</td>
                            <td>${caller.manager}</td>
                            <td>${caller.state === 'held' ? this._renderButtonsOf(caller.manager, caller) : ''}</td>
                        </tr>`)}
                </table>`}
            </div>
            ${this._pointed ? html`<p>Not refreshed while you point at it</p>` : ''}
            ${this._more > 0 ? html`<p>... and ${this._more} more</p>` : ''}`;
    }

    _renderLosses() {
        return html`
            <h3>Recent losses in this JVM</h3>
            ${this._losses.length === 0 ? html`<p>No lock has been lost since the application started.</p>` : html`
                <table id="losses">
                    <tr><th>Lock</th><th>When</th><th>Held for</th><th>Made from</th><th>Token</th><th>Why</th></tr>
                    ${this._losses.map(loss => html`
                        <tr>
                            <td class="name">${loss.name}</td>
                            <td>${new Date(loss.time).toLocaleTimeString()}</td>
                            <td>${loss.heldFor}</td>
                            <td class="name">${loss.template ?? 'LockManager'}</td>
                            <td>${loss.fencingToken}</td>
                            <td>${loss.reason}</td>
                        </tr>`)}
                </table>`}`;
    }

    _renderStored() {
        return html`
            <h3>In the store</h3>
            <div class="bar">
                <vaadin-text-field id="prefix" label="Names that begin with" .value=${this._prefix}
                    @value-changed=${event => this._prefix = event.detail.value}></vaadin-text-field>
                <vaadin-button id="list" @click=${() => this._list('')}>List</vaadin-button>
            </div>
            ${this._stored ? this._renderPage(this._stored) : ''}`;
    }

    _renderPage(page) {
        if (page.problem) {
            return html`<p class="problem">${page.problem}</p>`;
        }
        return html`
            ${page.locks.length === 0 ? html`<p>No lock is held or waited for on this page.</p>` : html`
                <table id="stored">
                    <tr><th>Lock</th><th>Holders</th><th>Waiting JVMs</th><th></th></tr>
                    ${page.locks.map(lock => html`
                        <tr>
                            <td class="name">${lock.name}</td>
                            <td>${lock.holders.map(holder => html`<div>${holder.owner}, ${holder.mode}, token
                                ${holder.fencingToken}, for ${holder.heldFor}${holder.leaseLeft
                                    ? `, lease ends in ${holder.leaseLeft}` : ''}</div>`)}</td>
                            <td>${lock.waiters}</td>
                            <td>${this._renderButtonsOf(this._manager, lock)}</td>
                        </tr>`)}
                </table>`}
            ${page.continuation ? html`<vaadin-button id="more" @click=${() => this._list(page.continuation)}>Next
                page</vaadin-button>` : ''}`;
    }

    _choose(manager) {
        if (manager && manager !== this._manager) {
            this._manager = manager;
            this._list('');
        }
    }

    _occupy() {
        this._tell(this.jsonRpc.occupy({ manager: this._manager, name: this._name, seconds: Number(this._seconds) }));
    }

    _requestRelease(manager, name) {
        this._tell(this.jsonRpc.requestRelease({ manager: manager, name: name }));
    }

    _forceRelease(manager, name) {
        this._tell(this.jsonRpc.forceRelease({ manager: manager, name: name }));
    }

    _tell(answer) {
        answer.then(response => {
            if (response.result.done) {
                notifier.showInfoMessage(response.result.text);
            } else {
                notifier.showWarningMessage(response.result.text);
            }
            this._refresh();
            this._list('');
        });
    }
}
customElements.define('qwc-lock-locks', QwcLockLocks);
