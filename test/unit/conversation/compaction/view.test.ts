/** What a model is sent of a conversation after room was made: valid for the API, smaller, and the same each time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemOf } from "../../../../examples/demo/model/api-rules.ts";
import { cutPoints, sizeOf, turnStarts } from "../../../../server/src/conversation/compaction/cut.ts";
import { planOf, type Occasion, type Situation } from "../../../../server/src/conversation/compaction/plan.ts";
import { viewOf, WHOLE, type View } from "../../../../server/src/conversation/compaction/view.ts";
import type { ModelMessage } from "../../../../server/src/model/model-port.ts";
import { toBody } from "../../../../server/src/model/request-body.ts";
import { anyHistory } from "./any-history.ts";

const SUMMARY = "## Task\nThe developer wants the tax rounded.";
const occasions: readonly Occasion[] = ["share", "byHand", "tooLong", "stillTooLong"];

/** What the real API would say to the messages; thoughts are signed by nobody here, so they are left out. */
function whyInvalid(messages: readonly ModelMessage[]): string | undefined {
  const circumstances = {
    entry: undefined,
    refused: new Set<never>(),
    mostTokens: undefined,
    by: "m",
    thoughtless: new WeakSet(messages),
    unseen: new WeakSet<never>(),
    untaken: new Set<never>(),
  };
  const last = messages.at(-1);
  // A history is sent with the person's words behind it.
  const asked =
    last?.role === "user"
      ? messages
      : [...messages, { role: "user", content: [{ kind: "text", text: "Go on." }] } as const];
  return problemOf(toBody({ model: "m", system: "s", messages: asked, tools: [] }, circumstances));
}

function situation(history: readonly ModelMessage[], over: Partial<Situation> = {}): Situation {
  const usual = { view: WHOLE, occasion: "tooLong", isAsking: false, capacity: undefined, fixed: 0 } as const;
  return { history, openCalls: new Set(), ...usual, ...over };
}

/** The view after a plan, as a summary makes it. */
function planned(view: View, plan: ReturnType<typeof planOf>): View {
  if (plan === undefined) return view;
  return plan.summarised > view.summarised
    ? { ...plan, summary: SUMMARY, again: ["[About the project.]"] }
    : { ...view, ...plan };
}

const callsIn = (history: readonly ModelMessage[]): string[] =>
  history.flatMap(({ content }) => content.flatMap((block) => (block.kind === "toolUse" ? [block.id] : [])));

describe("any history", () => {
  it("is valid for the API at every place where it may be cut, with any number of results shortened", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), fc.nat(), (history, at, upTo) => {
        const points = cutPoints(history);
        const summarised = points[at % points.length] ?? 0;
        const shortened = Math.max(summarised, upTo % (history.length + 1));
        const view: View =
          summarised === 0 ? { ...WHOLE, shortened } : { summarised, shortened, summary: SUMMARY, again: ["a"] };
        expect(whyInvalid(viewOf(history, view))).toBeUndefined();
      }),
    );
  });

  it("stays valid over any sequence of plans, and no plan brings back what was left out", () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(...occasions), fc.boolean(), fc.constantFrom(undefined, 4_000, 60_000, 1e9)),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(anyHistory, steps, fc.nat(), (history, wanted, open) => {
        const calls = callsIn(history);
        const openCalls = new Set(calls.length > 0 && open % 3 === 0 ? [calls[open % calls.length] ?? ""] : []);
        let view = WHOLE;
        for (const [occasion, isAsking, capacity] of wanted) {
          const before = view;
          view = planned(view, planOf(situation(history, { view, occasion, isAsking, capacity, openCalls })));
          expect(whyInvalid(viewOf(history, view))).toBeUndefined();
          expect(view.summarised).toBeGreaterThanOrEqual(before.summarised);
          expect(view.shortened).toBeGreaterThanOrEqual(before.shortened);
        }
      }),
    );
  });

  it("begins each later request as the one before ended, as long as the view stays", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), (history, at) => {
        const points = cutPoints(history).filter((point) => point > 0 && point < history.length);
        const summarised = points[at % points.length] ?? 0;
        const view: View =
          summarised === 0 ? WHOLE : { summarised, shortened: summarised, summary: SUMMARY, again: [] };
        const sent = JSON.stringify(viewOf(history, view));
        const more: ModelMessage[] = [...history, { role: "user", content: [{ kind: "text", text: "More." }] }];
        expect(JSON.stringify(viewOf(more, view)).startsWith(sent.slice(0, -1))).toBe(true);
      }),
    );
  });

  it("loses nothing of the message that the model is to answer, nor a result of a proposal's turn while it waits", () => {
    fc.assert(
      fc.property(
        anyHistory,
        fc.constantFrom<Occasion>("share", "byHand", "tooLong"),
        fc.nat(),
        (history, occasion, pick) => {
          const asked: ModelMessage[] = [...history, { role: "user", content: [{ kind: "text", text: "And now?" }] }];
          const calls = callsIn(history);
          const open = calls[pick % Math.max(1, calls.length)];
          const openCalls = new Set(open === undefined ? [] : [open]);
          const view = planned(WHOLE, planOf(situation(asked, { occasion, isAsking: true, openCalls })));
          const sent = viewOf(asked, view);
          expect(sent.at(-1)?.content.at(-1)).toEqual({ kind: "text", text: "And now?" });
          if (open === undefined) return;
          const made = history.findIndex(({ content }) =>
            content.some((block) => block.kind === "toolUse" && block.id === open),
          );
          const turn = turnStarts(history).findLast((start) => start <= made) ?? 0;
          const kept = history
            .slice(turn)
            .flatMap(({ content }) => content.filter(({ kind }) => kind === "toolResult"));
          const blocks = new Set<unknown>(sent.flatMap((message): readonly unknown[] => message.content));
          for (const block of kept) expect(blocks).toContain(block);
        },
      ),
    );
  });
});

describe("a shortened result", () => {
  const history: ModelMessage[] = [
    { role: "user", content: [{ kind: "text", text: "Look." }] },
    { role: "assistant", content: [{ kind: "toolUse", id: "1", name: "read_file", arguments: { path: "src/a.ts" } }] },
    {
      role: "user",
      content: [{ kind: "toolResult", toolCallId: "1", content: "const a = 1;\n".repeat(1_000), isError: false }],
    },
  ];

  it("keeps its first lines and says how to have the rest", () => {
    const [block] = viewOf(history, { ...WHOLE, shortened: 3 })[2]?.content ?? [];
    const text = block?.kind === "toolResult" ? block.content : "";
    expect(text.startsWith("const a = 1;\nconst a = 1;\n")).toBe(true);
    expect(text).toMatch(
      /\n\[12\d{3} more characters of this result were left out to make room\. Call read_file again/,
    );
  });

  it("comes before a summary: a conversation with long results only is not summarised", () => {
    const turns = Array.from({ length: 8 }, () => history).flat();
    const plan = planOf(situation(turns, { occasion: "share", capacity: sizeOf(turns) * 1.2, isAsking: true }));
    expect(plan).toEqual({ summarised: 0, shortened: turnStarts(turns).at(-2) });
  });
});

describe("the end of a conversation", () => {
  const talk = (turns: number, length: number): ModelMessage[] =>
    Array.from({ length: turns }, (_each, index): ModelMessage[] => [
      { role: "user", content: [{ kind: "text", text: `${index} ${"w".repeat(length)}` }] },
      { role: "assistant", content: [{ kind: "text", text: "y".repeat(length) }] },
    ]).flat();

  it("stays whole in its last two turns, where they fit", () => {
    const history = talk(30, 1_000);
    expect(planOf(situation(history, { occasion: "share", capacity: 60_000, isAsking: false }))?.summarised).toBe(56);
  });

  it("is summarised too when the person asks for it after one or two turns", () => {
    expect(planOf(situation(talk(2, 20_000), { occasion: "byHand" }))?.summarised).toBe(4);
  });

  it("leaves no room where by itself hardly anything would be gained", () => {
    const history = talk(3, 1_000);
    expect(
      planOf(situation(history, { occasion: "share", capacity: 100_000, fixed: 90_000, isAsking: true })),
    ).toBeUndefined();
  });
});
