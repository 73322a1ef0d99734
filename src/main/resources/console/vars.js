/** A directive that sets custom properties of an element: the page allows no style attributes. */
import {directive, Directive, PartType} from 'lit/directive.js';
import {noChange} from 'lit';

class Variables extends Directive {
  #last = {};

  constructor(part) {
    super(part);
    if (part.type !== PartType.ELEMENT) {
      throw new Error('vars() belongs to an element');
    }
  }

  update(part, [values]) {
    for (const [name, value] of Object.entries(values)) {
      if (this.#last[name] !== value) {
        part.element.style.setProperty(`--${name}`, String(value));
      }
    }
    this.#last = values;
    return noChange;
  }

  render() {
    return noChange;
  }
}

export const vars = directive(Variables);
