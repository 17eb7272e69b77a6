/** What waits for the person, above the input: nothing here has the focus by itself, and no key of elsewhere answers. */
import type { ApprovalCard, Card, ProposalCard } from "../chat/page-messages.ts";
import { button, h } from "./dom.ts";
import { tell } from "./extension.ts";

/** In milliseconds: a click that was meant for what stood there before decides nothing. */
const SETTLES = 600;

export class Cards {
  readonly element = h("section", { class: "cards", aria: { label: "Waits for you" } });
  readonly #shown = new Map<string, { told: string; readonly element: HTMLElement; readonly since: number }>();

  /** A card that stays keeps its element: what is typed in it, and where it is scrolled to. */
  show(cards: readonly Card[]): void {
    for (const [id, { element }] of this.#shown) {
      if (cards.some((card) => card.id === id)) continue;
      element.remove();
      this.#shown.delete(id);
    }
    for (const card of cards) {
      const told = JSON.stringify(card);
      const known = this.#shown.get(card.id);
      if (known?.told === told) continue;
      const since = known?.since ?? Date.now();
      const isSettled = (): boolean => Date.now() - since > SETTLES;
      if (known === undefined) {
        const element = card.kind === "approval" ? approvalElement(card, isSettled) : proposalElement(card, isSettled);
        this.element.append(element);
        this.#shown.set(card.id, { told, element, since });
      } else {
        known.told = told;
        if (card.kind === "proposal") fillProposal(known.element, card);
      }
    }
    this.element.hidden = cards.length === 0;
  }
}

function approvalElement(card: ApprovalCard, isSettled: () => boolean): HTMLElement {
  const [first = "", ...rest] = card.question.split("\n");
  const message = h("input", { type: "text", class: "words", aria: { label: "A message to the model" } });
  message.placeholder = "words for the model";
  const answer = (decision: "approved" | "denied", remember: "none" | "session" | "workspace") => () => {
    if (isSettled()) tell({ type: "answer", id: card.id, decision, remember, message: message.value });
  };
  const asked = h("div", {}, rest.length > 0 && h("pre", { class: "quoted" }, rest.join("\n")));
  const answers = h("div", { class: "answers" });
  const { allow, deny, session, always, fields } = card;
  const once = "Exactly this call runs unasked from now on in this conversation";
  const no = button(deny, deny, answer("denied", "none"), "secondary");
  const change = (): void => {
    const areas = fields.map(({ name, text }) => ({ name, area: fieldArea(name, text) }));
    asked.replaceChildren(...areas.flatMap(({ name, area }) => [h("div", { class: "label" }, name), area]));
    const run = (): void => {
      const written = areas.map(({ name, area }) => ({ name, text: area.value }));
      tell({ type: "runChanged", id: card.id, fields: written, message: message.value });
    };
    answers.replaceChildren(
      no,
      button("Allow as changed", "Run what stands here; the model is told", run, "secondary"),
    );
    areas[0]?.area.focus();
  };
  const buttons = [
    no,
    button(allow, allow, answer("approved", "none"), "secondary"),
    session !== undefined && button(session, once, answer("approved", "session"), "secondary"),
    always !== undefined && button(always, always, answer("approved", "workspace"), "secondary"),
    fields.length > 0 && button("Change …", "Change what would run", change, "secondary"),
  ];
  answers.append(...buttons.filter((each) => each !== false));
  const why = card.why !== "" && h("div", { class: "why" }, card.why);
  const title = h("div", { class: "title" }, first);
  return h(
    "article",
    { class: "card approval", aria: { label: "Question" } },
    title,
    other(card),
    asked,
    why,
    message,
    answers,
  );
}

function fieldArea(name: string, text: string): HTMLTextAreaElement {
  const area = h("textarea", { class: "field", aria: { label: name } });
  area.value = text;
  area.rows = Math.min(8, text.split("\n").length + 1);
  return area;
}

function proposalElement(card: ProposalCard, isSettled: () => boolean): HTMLElement {
  const act = (action: "review" | "acceptAll" | "rejectAll") => () => {
    if (action === "review" || isSettled()) tell({ type: "proposal", id: card.id, action });
  };
  const element = h(
    "article",
    { class: "card proposal", aria: { label: "Proposal" } },
    h("div", { class: "facts" }),
    h(
      "div",
      { class: "answers" },
      button("Review", "Look at each hunk in its file", act("review")),
      button("Accept all", "Accept all hunks", act("acceptAll"), "secondary"),
      button("Reject all", "Reject all hunks", act("rejectAll"), "secondary"),
    ),
  );
  fillProposal(element, card);
  return element;
}

function fillProposal(element: HTMLElement, card: ProposalCard): void {
  element
    .querySelector(".facts")
    ?.replaceChildren(
      h("div", { class: "title" }, card.title),
      ...(card.why === "" || card.why === card.title ? [] : [h("div", { class: "why" }, card.why)]),
      ...(card.isOther ? [h("div", { class: "label" }, OTHER)] : []),
      h("div", { class: "size" }, card.size),
      h("div", { class: card.isBad ? "verdict bad" : "verdict", title: card.verdict }, card.verdict),
    );
}

const OTHER = "of another conversation";

function other({ isOther }: Card): HTMLElement | undefined {
  return isOther ? h("div", { class: "label" }, OTHER) : undefined;
}
