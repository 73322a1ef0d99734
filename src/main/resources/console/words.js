/**
 * Text of models, tools and users as templates. Everything becomes text nodes: no HTML is parsed, nothing is
 * fetched, and characters that could hide or reorder text are shown.
 */
import {html, nothing} from 'lit';
import {lexer} from 'marked';

/** Characters that reorder text or have no width. */
const HIDDEN = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const ESCAPES = /\x1b\[([0-9;]*)m/g;
const OTHER_ESCAPES = /\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-9;?]*[A-LN-Za-ln-z]|[()][0-9A-B]|[=>])/g;

/** Plain text in which hidden characters are visible. */
export function plain(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    parts.push(text.slice(from, match.index), chip(match[0]));
    from = match.index + match[0].length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)];
}

function chip(character) {
  const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return html`<span class="hidden-character" title="a character without width">${code}</span>`;
}

/** Markdown. Images are shown as their text; links only with a visible address. */
export function markdown(text) {
  return blocks(lexer(text));
}

function blocks(tokens) {
  return tokens.map((token) => {
    switch (token.type) {
      case 'space':
      case 'def':
        return nothing;
      case 'heading':
        return html`<p class="heading" role="heading" aria-level=${Math.min(6, token.depth + 2)}>${inline(token.tokens)}</p>`;
      case 'paragraph':
        return html`<p>${inline(token.tokens)}</p>`;
      case 'text':
        return token.tokens ? inline(token.tokens) : plain(token.text);
      case 'code':
        return html`<pre class="code" tabindex="0"><code>${plain(token.text)}</code></pre>`;
      case 'blockquote':
        return html`<blockquote>${blocks(token.tokens)}</blockquote>`;
      case 'list':
        return token.ordered
          ? html`<ol start=${Number(token.start) || 1}>${token.items.map(item)}</ol>`
          : html`<ul>${token.items.map(item)}</ul>`;
      case 'hr':
        return html`<hr />`;
      case 'table':
        return table(token);
      default:
        return html`<p>${plain(token.raw)}</p>`;
    }
  });
}

function item(token) {
  return html`<li>${token.task ? html`<input type="checkbox" disabled .checked=${token.checked} aria-label="done" />` : nothing}${blocks(token.tokens)}</li>`;
}

function table(token) {
  return html`<div class="scroll" tabindex="0"><table>
    <thead><tr>${token.header.map((cell) => html`<th scope="col">${inline(cell.tokens)}</th>`)}</tr></thead>
    <tbody>${token.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell.tokens)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

function inline(tokens) {
  return (tokens ?? []).map((token) => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.tokens ? inline(token.tokens) : plain(unescaped(token.text));
      case 'strong':
        return html`<strong>${inline(token.tokens)}</strong>`;
      case 'em':
        return html`<em>${inline(token.tokens)}</em>`;
      case 'del':
        return html`<del>${inline(token.tokens)}</del>`;
      case 'codespan':
        return html`<code>${plain(unescaped(token.text))}</code>`;
      case 'br':
        return html`<br />`;
      case 'link':
        return link(token);
      case 'image':
        return html`<span class="image">image “${plain(token.text)}” ${plain(token.href)}</span>`;
      default:
        return plain(token.raw);
    }
  });
}

/** The lexer escapes the text of some tokens for HTML, which is not written here. */
function unescaped(text) {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'"})[name]);
}

function link(token) {
  const address = webAddress(token.href);
  const label = inline(token.tokens);
  if (!address) {
    return html`${label} <span class="address">(${plain(token.href)})</span>`;
  }
  const shown = token.text === token.href ? nothing : html` <span class="address">(${plain(address)})</span>`;
  return html`<a href=${address} target="_blank" rel="noopener noreferrer">${label}</a>${shown}`;
}

/** The address when it is one of the web; undefined otherwise. */
function webAddress(href) {
  try {
    const url = new URL(href);
    return ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Output of a terminal with its colours as classes. */
export function terminal(text) {
  const parts = [];
  const clean = text.replace(OTHER_ESCAPES, '').split('\n').map(lastWritten).join('\n');
  let style = [];
  let from = 0;
  for (const match of clean.matchAll(ESCAPES)) {
    add(parts, clean.slice(from, match.index), style);
    style = restyled(style, match[1]);
    from = match.index + match[0].length;
  }
  add(parts, clean.slice(from), style);
  return parts;
}

/** What a terminal shows of a line that returned to its start. */
function lastWritten(line) {
  return line.replace(/\r+$/, '').split('\r').at(-1);
}

function add(parts, text, style) {
  if (text !== '') {
    parts.push(style.length === 0 ? plain(text) : html`<span class=${style.join(' ')}>${plain(text)}</span>`);
  }
}

function restyled(style, codes) {
  return codes.split(';').map(Number).reduce((current, code) => {
    if (code === 0) {
      return [];
    }
    if (code === 1) {
      return [...current, 'ansi-bold'];
    }
    if (code === 39) {
      return current.filter((name) => !name.startsWith('ansi-c'));
    }
    const colour = code >= 30 && code <= 37 ? code - 30 : code >= 90 && code <= 97 ? code - 90 : null;
    return colour === null ? current : [...current.filter((name) => !name.startsWith('ansi-c')), `ansi-c${colour}`];
  }, style);
}
