/**
 * Whatever a person decides, takes back, opens again and undoes by hand, in the review or after it: what the model was told,
 * put together, is what stands in the file, and no rejection is told that was no person's last word.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { describeOutcome } from "../../../../server/src/proposals/describe-outcome.ts";
import { randomFrom, seed, times } from "../../../support/fuzz.ts";
import { Reviewer } from "../reviewer.ts";

const NAMES = ["one", "two", "three", "four", "five"];
const lineOf = (name: string): string => `${name}\nbetween ${name}\n`;
const base = NAMES.map(lineOf).join("");
const target = NAMES.map((name) => lineOf(name).replace(name, name.toUpperCase())).join("");

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** Longer than a file is looked at after it was touched. */
const QUIET_MS = 700;

class Person {
  readonly reviewer = new Reviewer();
  readonly #random: Random;
  #id = "";
  /** By hunk, what the model was told last. */
  readonly believed = new Map<string, boolean>();
  readonly done: string[] = [];
  /** Hunks whose last word was a person's rejection. */
  readonly rejected = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  async run(): Promise<void> {
    const { reviewer } = this;
    reviewer.open("a.ts", base);
    const documents = [reviewer.proposed("a.ts", base, target)];
    const request = { title: "Shout", why: "w", documents, sessionId: "s", toolCallId: "call" };
    const outcome = reviewer.store.propose(request, reviewer.cancel.signal);
    await expect.poll(() => reviewer.told).toHaveLength(1);
    this.#id = reviewer.proposal.proposalId;
    const isOver = (): boolean => reviewer.store.open(this.#id).state !== "pending";
    // What the answer says is true when the review ends, which may be at any of these.
    for (let step = 0; step < 6 && !isOver(); step += 1) await this.#act();
    for (const id of this.#hunks(["pending", "conflict"])) await this.#decide(id, "reject");
    this.#hear(describeOutcome(await outcome));
    for (let step = 0; step < 4; step += 1) await this.#act();
    await sleep(QUIET_MS);
    for (const news of await reviewer.store.takeNews("s")) this.#hearNews(news);
  }

  /** By hunk, whether its text stands in the file. */
  truth(): Map<string, boolean> {
    const lines = this.reviewer.text("a.ts").split("\n");
    return new Map(NAMES.map((name, index) => [`h${index + 1}`, lines.includes(name.toUpperCase())]));
  }

  #hunks(states: readonly string[]): string[] {
    return this.reviewer.store.open(this.#id).hunks.flatMap(({ id, state }) => (states.includes(state) ? [id] : []));
  }

  async #act(): Promise<void> {
    const kind = pick(this.#random, ["decide", "decide", "undo", "reopen", "hand"] as const);
    const open = this.reviewer.store.open(this.#id);
    const isIn = (id: string): boolean => this.truth().get(id) === true;
    const id =
      kind === "decide"
        ? pick(this.#random, this.#hunks(["pending"]))
        : pick(
            this.#random,
            open.hunks.flatMap((hunk) =>
              hunk.state === "pending" || isIn(hunk.id) !== (kind !== "reopen") ? [] : [hunk.id],
            ),
          );
    if (id === undefined) return;
    this.done.push(`${kind} ${id}`);
    if (kind === "decide") return this.#decide(id, pick(this.#random, ["accept", "reject"] as const) ?? "accept");
    if (kind === "hand") return this.#undoByHand(id);
    const { proposalId } = await (kind === "undo"
      ? this.reviewer.store.undo(this.#id, [id])
      : this.reviewer.store.reopen(this.#id, [id]));
    if (proposalId === undefined) return;
    const isTaken = this.#random() < 0.8;
    await this.#answer(proposalId, "h1", isTaken ? "accept" : "reject");
    if (kind === "reopen" && isTaken) this.rejected.delete(id);
    await expect.poll(() => isIn(id)).toBe(isTaken === (kind === "reopen"));
    await sleep(QUIET_MS);
  }

  async #decide(id: string, decision: "accept" | "reject"): Promise<void> {
    if (decision === "reject") this.rejected.add(id);
    this.done.push(decision);
    await this.#answer(this.#id, id, decision);
  }

  async #answer(proposalId: string, id: string, decision: "accept" | "reject"): Promise<void> {
    const { store } = this.reviewer;
    const { edit } = await store.review(proposalId).decide({ hunks: [{ id, decision }] });
    if (edit === null) return;
    this.reviewer.apply(edit);
    await store.review(proposalId).didApply();
  }

  async #undoByHand(id: string): Promise<void> {
    const name = NAMES[Number(id.slice(1)) - 1] ?? "";
    this.reviewer.type("a.ts", this.reviewer.text("a.ts").replace(`${name.toUpperCase()}\n`, `${name}\n`));
    await sleep(QUIET_MS);
  }

  #hear(outcome: string): void {
    if (outcome.startsWith("APPLIED: all")) for (const id of this.truth().keys()) this.believed.set(id, true);
    for (const [, id = "", what = ""] of outcome.matchAll(/^- hunk (\S+) \([^)]*\): (.*)$/gm)) {
      this.believed.set(id, what.startsWith("applied"));
      if (what.includes("the person rejected it"))
        expect(this.rejected, `${id}: ${this.done.join(", ")}`).toContain(id);
    }
  }

  #hearNews(news: string): void {
    const sentences = [
      ["Taken back since: ", false],
      ["In the file again: ", true],
      ["The person accepted after all: ", true],
    ] as const;
    for (const [words, isIn] of sentences) {
      const [, named = ""] = news.split(words);
      const own = named.split(' of "Shout"')[0] ?? "";
      const ids = own.startsWith("all ")
        ? [...this.truth().keys()]
        : [...own.matchAll(/h\d+(?= \()/g)].map(([id]) => id);
      for (const id of ids) this.believed.set(id, isIn);
    }
  }
}

it("what the model was told is what stands in the file", async () => {
  const random = randomFrom(seed);
  const people = Array.from({ length: times(12) }, () => new Person(randomFrom(Math.floor(random() * 2 ** 31))));
  await Promise.all(people.map((person) => person.run()));
  for (const person of people) {
    expect(Object.fromEntries(person.believed), person.done.join(", ")).toEqual(Object.fromEntries(person.truth()));
  }
}, 120_000);
