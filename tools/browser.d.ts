// What the scripts of the pages find in the browser besides the standard: htmx, and its events.

declare const htmx: any;

interface DocumentEventMap {
  [name: `htmx:${string}`]: CustomEvent & { target: HTMLElement };
}
