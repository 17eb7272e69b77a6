/** Elements in one line. */

export type Child = Node | string | undefined | false;

type Listeners = { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };

export interface Given {
  readonly class?: string;
  readonly title?: string;
  readonly role?: string;
  readonly type?: string;
  readonly on?: Listeners;
  readonly data?: Readonly<Record<string, string>>;
  readonly aria?: Readonly<Record<string, string>>;
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  given: Given = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  const { on = {}, data = {}, aria = {}, ...attributes } = given;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const [name, value] of Object.entries(data)) element.dataset[name] = value;
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, value);
  for (const [name, listen] of Object.entries(on)) element.addEventListener(name, listen as EventListener);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

export function button(label: string, title: string, act: () => void, style = ""): HTMLButtonElement {
  return h("button", { type: "button", class: style, title, on: { click: act } }, label);
}
