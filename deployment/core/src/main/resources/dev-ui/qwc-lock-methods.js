import { QwcHotReloadElement, html, css } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';

/** All locked methods and managers: what is in force for them, and where each value comes from. */
export class QwcLockMethods extends QwcHotReloadElement {

    jsonRpc = new JsonRpc(this);

    static styles = css`
        :host { display: block; height: 100%; overflow: auto; padding: 0 20px 20px; }
        h3 { margin: 24px 0 4px; }
        table { border-collapse: collapse; width: 100%; font-size: var(--lumo-font-size-s); }
        th { text-align: left; color: var(--lumo-secondary-text-color); font-weight: normal; }
        th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--lumo-contrast-10pct); vertical-align: top; }
        .code { font-family: monospace; overflow-wrap: break-word; }
        .origin { color: var(--lumo-secondary-text-color); }
        .set { color: var(--lumo-primary-text-color); }
    `;

    static properties = {
        _methods: { state: true },
        _managers: { state: true },
    };

    constructor() {
        super();
        this._methods = null;
        this._managers = [];
    }

    connectedCallback() {
        super.connectedCallback();
        this.hotReload();
    }

    hotReload() {
        this.jsonRpc.methods().then(response => this._methods = response.result);
        this.jsonRpc.managers().then(response => this._managers = response.result);
    }

    render() {
        return html`
            <h3>Locked methods</h3>
            ${this._renderMethods()}
            <h3>Managers</h3>
            <table id="managers">
                <tr><th>Manager</th><th>Backend</th><th>Settings</th></tr>
                ${this._managers.map(manager => html`
                    <tr>
                        <td>${manager.name}</td>
                        <td>${manager.backend}</td>
                        <td>${this._renderSettings(manager.settings)}</td>
                    </tr>`)}
            </table>`;
    }

    _renderMethods() {
        if (!this._methods) {
            return html`<p>Asking the application ...</p>`;
        }
        if (this._methods.length === 0) {
            return html`<p>No method is annotated with @Locked, or locks are switched off.</p>`;
        }
        return html`
            <table id="methods">
                <tr><th>Method</th><th>Template</th><th>Manager</th><th>When busy</th><th>Settings</th></tr>
                ${this._methods.map(method => html`
                    <tr>
                        <td class="code">${method.method}</td>
                        <td class="code">${method.template}${method.id ? html`<div>id ${method.id}</div>` : ''}
                            <div class="origin">${this._kind(method)}</div></td>
                        <td>${method.manager}</td>
                        <td>${method.onBusy}</td>
                        <td>${this._renderSettings(method.settings)}</td>
                    </tr>`)}
            </table>`;
    }

    _kind(method) {
        return method.limit > 0 ? `limit ${method.limit}` : method.mode === 'SHARED' ? 'shared' : '';
    }

    _renderSettings(settings) {
        return settings.map(setting => html`
            <div><span class="code">${setting.key} = ${setting.value}</span>
                <span class=${setting.origin === 'built-in default' ? 'origin' : 'set'}>${setting.origin}</span></div>`);
    }
}
customElements.define('qwc-lock-methods', QwcLockMethods);
