/** How values are written for people. */

const number = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
const clock = new Intl.DateTimeFormat('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit'});
const day = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit'});

/** 412 ms, 3.4 s, 2 min 05 s, 3 h 07 min, 2 d 4 h. */
export function duration(ms) {
  if (ms < 1_000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  const seconds = ms / 1_000;
  if (seconds < 60) {
    return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  }
  const whole = Math.floor(seconds);
  if (whole < 3_600) {
    return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  }
  if (whole < 86_400) {
    return `${Math.floor(whole / 3_600)} h ${pad(Math.floor(whole / 60) % 60)} min`;
  }
  return `${Math.floor(whole / 86_400)} d ${Math.floor(whole / 3_600) % 24} h`;
}

/** A round duration in few characters: 250 ms, 15 s, 1:30 min, 2 h, 3 d. */
export function round(ms) {
  if (ms < 1_000) {
    return ms === 0 ? '0' : `${ms} ms`;
  }
  const seconds = ms / 1_000;
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)}${seconds % 60 === 0 ? '' : `:${pad(seconds % 60)}`} min`;
  }
  return seconds < 86_400 ? `${number.format(seconds / 3_600)} h` : `${number.format(seconds / 86_400)} d`;
}

/** 1.2 k, 3.4 M. */
export function count(value) {
  if (value < 1_000) {
    return String(value);
  }
  return value < 999_950 ? `${number.format(value / 1_000)} k` : `${number.format(value / 1_000_000)} M`;
}

/** 64 kB. */
export function bytes(value) {
  return value < 1_024 ? `${value} B` : value < 1_048_576 ? `${Math.round(value / 1_024)} kB` : `${number.format(value / 1_048_576)} MB`;
}

let amounts = {};
setCurrency(null);

/** Sets the currency of all costs, as ISO 4217 names it; null when the service does not know it. */
export function setCurrency(currency) {
  const style = currency === null ? {} : {style: 'currency', currency, currencyDisplay: 'narrowSymbol'};
  const withDigits = (digits) => new Intl.NumberFormat('en', {...style, minimumFractionDigits: digits, maximumFractionDigits: digits});
  amounts = {usual: withDigits(2), small: withDigits(4)};
}

/** "$0.42"; "unpriced" when no model had a price. */
export function money(amount) {
  if (amount === null || amount === undefined) {
    return 'unpriced';
  }
  return (amount !== 0 && amount < 0.01 ? amounts.small : amounts.usual).format(amount);
}

/** The time of today, the day with the time otherwise. */
export function time(instant, now) {
  const at = new Date(instant);
  return Math.abs(now - at) < 43_200_000 ? clock.format(at) : day.format(at);
}

/** "2 min ago". */
export function ago(instant, now) {
  const ms = now - new Date(instant);
  return ms < 1_000 ? 'now' : `${short(ms)} ago`;
}

/** The largest unit alone: 40 s, 2 min, 3 h, 2 d. */
export function short(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)} min`;
  }
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** The name of the local time zone, said once per page. */
export const zone = `UTC${offset()}`;

function offset() {
  const minutes = -new Date().getTimezoneOffset();
  const sign = minutes < 0 ? '−' : '+';
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return minutes === 0 ? '' : `${sign}${hours}${rest === 0 ? '' : `:${pad(rest)}`}`;
}

function pad(value) {
  return String(value).padStart(2, '0');
}

/** one task, 2 tasks. */
export function plural(amount, word, words = `${word}s`) {
  return amount === 1 ? `1 ${word}` : `${amount} ${words}`;
}
