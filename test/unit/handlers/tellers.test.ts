/** What an editor is told of the compiler, and how it asks for consent. */
import { describe, expect, it } from "vitest";
import { compilerTeller } from "../../../server/src/handlers/compiler-teller.ts";
import { consentAsker } from "../../../server/src/handlers/consent-asker.ts";
import type { ConsentQuestion } from "../../../server/src/repl/stages/consent/open-consent.ts";
import type { ApprovalDecision } from "../../../server/src/tools/consent/approval-decision.ts";

describe("loading of the projects", () => {
  it.each([
    [true, ["begin", "end", "begin", "end"]],
    [false, []],
  ])("is one progress from start to end (%s)", (showsLoading, expected) => {
    const shown: string[] = [];
    const logged: string[] = [];
    const progress = () => {
      shown.push("begin");
      return { report: () => undefined, end: () => void shown.push("end") };
    };
    const tell = compilerTeller({ progress, log: (_level, line) => logged.push(line) }, { showsLoading });
    for (const state of ["starting", "restarting", "ready", "restarting", "dead"] as const) {
      tell({ version: "7.0", projects: [], state, ...(state === "dead" ? { reason: "it was killed" } : {}) });
    }
    expect(shown).toEqual(expected);
    expect(logged.at(0)).toBe("TypeScript 7.0: starting");
    expect(logged.at(-1)).toBe("TypeScript 7.0: dead (it was killed)");
  });
});

describe("a question for consent", () => {
  const question: ConsentQuestion = { tool: "open_repl", text: "Run?", why: "W.", risk: "R.", yes: "Yes", no: "No" };
  const { signal } = new AbortController();

  it.each([
    ["Yes", { kind: "yes" }],
    ["No", { kind: "no" }],
    [null, { kind: "no" }],
    [undefined, { kind: "nobody", reason: "this editor cannot ask, or nobody answered" }],
  ] as const)(
    "is put by LSP's means where no approvals are shown, with the harmless answer first: %s",
    async (chosen, expected) => {
      const asked: unknown[] = [];
      const choose = async (message: string, choices: readonly string[]) => {
        asked.push(message, ...choices);
        return chosen as never;
      };
      const ask = consentAsker({ choose }, { canAsk: () => false, put: async () => undefined });
      expect(await ask(question, signal)).toEqual(expected);
      expect(asked).toEqual(["Run? W. R.", "No", "Yes"]);
    },
  );

  it.each<[ApprovalDecision | undefined, object]>([
    [{ decision: "approved" }, { kind: "yes" }],
    [
      { decision: "denied", message: "later" },
      { kind: "no", message: "later" },
    ],
    [undefined, { kind: "no" }],
  ])("is an approval where approvals are shown: %o", async (decision, expected) => {
    const put = async () => decision;
    const ask = consentAsker({ choose: async () => null }, { canAsk: () => true, put });
    expect(await ask(question, signal)).toEqual(expected);
  });
});
