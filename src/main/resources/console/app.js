/** The shell: which page is shown, who the caller is, and whether what is shown is live. */
import {LitElement, html, nothing} from 'lit';
import {get, post} from './api.js';
import {setCurrency, zone} from './format.js';
import {plain} from './words.js';
import './grid.js';
import './home.js';
import './login.js';
import './workspace.js';

const BASE = `${document.documentElement.dataset.base ?? ''}/console/`;
const THEME = 'errand-theme';
const THEMES = ['auto', 'light', 'dark'];

class App extends LitElement {
  static properties = {
    me: {state: true},
    path: {state: true},
    stream: {state: true},
    theme: {state: true},
    problem: {state: true},
  };

  constructor() {
    super();
    this.path = location.pathname.slice(BASE.length);
    this.theme = localStorage.getItem(THEME) ?? 'auto';
    document.documentElement.dataset.theme = this.theme;
    addEventListener('popstate', () => this.#arrived());
    document.addEventListener('errand-stream', (event) => {
      this.stream = event.detail;
      this.since = event.detail?.live ? null : (this.since ?? Date.now());
    });
    setInterval(() => this.stream && !this.stream.live && this.requestUpdate(), 1_000);
    document.addEventListener('errand-unauthorized', () => {
      this.me = null;
      if (this.path !== 'login') {
        this.wanted = this.path + location.search;
        this.#go('login');
      }
    });
    this.addEventListener('navigate', (event) => this.#go(event.detail));
    this.addEventListener('click', (event) => this.#followed(event));
    this.#readMe();
  }

  createRenderRoot() {
    return this;
  }

  async #readMe() {
    try {
      const me = await get('/v1/me');
      setCurrency(me.currency);
      this.me = me;
      this.problem = null;
    } catch (problem) {
      this.problem = problem.status === 401 ? null : problem;
    }
  }

  /** Links inside the console change the page without loading it. */
  #followed(event) {
    const anchor = event.target.closest?.('a[href]');
    if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || anchor.target) {
      return;
    }
    const url = new URL(anchor.href);
    if (url.origin === location.origin && url.pathname.startsWith(BASE)) {
      event.preventDefault();
      this.#go(url.pathname.slice(BASE.length) + url.search);
    }
  }

  #go(path) {
    if (BASE + path !== location.pathname + location.search) {
      history.pushState(null, '', BASE + path);
    }
    this.#arrived();
  }

  #arrived() {
    this.path = location.pathname.slice(BASE.length);
    if (!this.me && this.path !== 'login') {
      this.#readMe();
    }
    this.requestUpdate();
  }

  #nextTheme() {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length];
    document.documentElement.dataset.theme = this.theme;
    localStorage.setItem(THEME, this.theme);
  }

  async #logout() {
    await post('/console/logout');
    this.me = null;
    this.wanted = '';
    this.#go('login');
  }

  render() {
    return html`
      <nav class="bar">
        <a class="brand" href=${BASE}>▣ Errand</a>
        <span class="fill"></span>
        ${this.#live()}
        <span class="quiet" title="Times are in this zone">${zone}</span>
        ${this.me ? html`<span class="quiet" title=${`${this.me.subject}, ${this.me.role}`}>${plain(this.me.tenant)}</span>` : nothing}
        <button class="icon" aria-label=${`Theme: ${this.theme}`} title=${`Theme: ${this.theme}`} @click=${this.#nextTheme}>◐</button>
        ${this.me?.authenticated ? html`<button @click=${this.#logout}>Log out</button>` : nothing}
      </nav>
      ${this.problem ? html`<p class="problem" role="alert">${plain(this.problem.message)} <button @click=${this.#readMe}>Try again</button></p>` : nothing}
      <main>${this.#page()}</main>`;
  }

  #live() {
    if (!this.stream) {
      return nothing;
    }
    if (this.stream.live) {
      return html`<span class="live" role="status">● live</span>`;
    }
    const wait = this.stream.retryAt ? Math.max(0, Math.ceil((this.stream.retryAt - Date.now()) / 1_000)) : null;
    return html`<span class="live lost" role="status">${wait === null ? '○' : '◐'} ${wait === null ? 'stale' : `reconnecting (${wait} s)`}
      · stale since ${new Date(this.since ?? Date.now()).toLocaleTimeString('en-GB')}</span>`;
  }

  #page() {
    if (this.path === 'login') {
      return html`<e-login @logged-in=${async () => { await this.#readMe(); this.#go(this.wanted ?? ''); }}></e-login>`;
    }
    if (!this.me) {
      return nothing;
    }
    const link = (id) => BASE + id;
    return this.path === ''
      ? html`<e-home .me=${this.me} .link=${link} .again=${new URLSearchParams(location.search).get('again')}></e-home>`
      : html`<e-workspace .me=${this.me} .link=${link} .id=${decodeURIComponent(this.path)}></e-workspace>`;
  }
}

customElements.define('e-app', App);
