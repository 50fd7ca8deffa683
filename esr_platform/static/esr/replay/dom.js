// Elements, made in one expression.

const SVG = "http://www.w3.org/2000/svg";

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** @type {(name: string, attributes?: Object, ...children: (Node|string|null)[]) => HTMLElement} */
export const html = (name, attributes = {}, ...children) => made(document.createElement(name), attributes, children);

/** @type {(name: string, attributes?: Object, ...children: (Node|string|null)[]) => SVGElement} */
export const svg = (name, attributes = {}, ...children) => made(document.createElementNS(SVG, name), attributes, children);
