/** Exchanges a key for a cookie, which pages cannot read. */
import {LitElement, html, nothing} from 'lit';
import {post} from './api.js';
import {plain} from './words.js';

class Login extends LitElement {
  static properties = {problem: {state: true}, busy: {state: true}};

  createRenderRoot() {
    return this;
  }

  async #submit(event) {
    event.preventDefault();
    const key = this.querySelector('[name=key]').value.trim();
    this.busy = true;
    try {
      await post('/console/login', undefined, {Authorization: `Bearer ${key}`});
      this.problem = null;
      this.dispatchEvent(new CustomEvent('logged-in', {bubbles: true}));
    } catch (problem) {
      this.problem = problem;
    } finally {
      this.busy = false;
    }
  }

  render() {
    return html`<form class="login" @submit=${this.#submit}>
      <h1>Log in</h1>
      <input type="text" autocomplete="username" hidden />
      <label>Key, or token of your identity provider <input type="password" name="key" autocomplete="current-password" required placeholder="err_…" /></label>
      ${this.problem ? html`<p class="problem" role="alert">${plain(this.problem.status === 401 ? 'This key is not valid.' : this.problem.message)}</p>` : nothing}
      <button type="submit" ?disabled=${this.busy}>Log in</button>
      <p class="quiet">An operator makes keys with <code>make key</code> or <code>POST /v1/keys</code>.</p>
    </form>`;
  }
}

customElements.define('e-login', Login);
