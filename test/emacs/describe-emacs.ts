/** Describes what holds in Emacs. The tests of one description share an Emacs and its server; see `Workbench`. */
import { afterEach, describe, vi } from "vitest";
import { describeContract, describeEachEditor, type Editor } from "../support/editors.ts";
import { runsAll } from "../support/extent.ts";
import type { Emacs } from "./connections.ts";
import { TERMINAL_TEST_MS } from "./emacs.ts";
import { Workbench } from "./workbench.ts";

type Body = (emacs: Emacs) => void;

/** Describes the same behaviour in each Emacs of `describeEachEditor`, with the connection that nobody has chosen. */
export function describeEachEmacs(body: Body): void {
  describeEachEditor("emacs", (editor) => withBenches(editor, body));
}

/** The same under Eglot, and with `AGENTQ_TESTS=all` under lsp-mode too. */
export function describeEachConnection(body: Body): void {
  describeEachEditor("emacs", (editor) => {
    underEach(editor, runsAll ? ["eglot", "lsp-mode"] : ["eglot"], body);
  });
}

/** Describes what every Emacs must be able to do, and the newest one under lsp-mode too; see `describeContract`. */
export function describeContractOfConnections(body: Body): void {
  describeContract("emacs", (editor, isNewest) => {
    underEach(editor, runsAll || isNewest ? ["eglot", "lsp-mode"] : ["eglot"], body);
  });
}

function underEach(editor: Editor, connections: readonly NonNullable<Emacs["connection"]>[], body: Body): void {
  for (const connection of connections) {
    describe(`under ${connection}`, () => {
      withBenches({ ...editor, connection }, body);
    });
  }
}

function withBenches(emacs: Emacs, body: Body): void {
  vi.setConfig({ testTimeout: TERMINAL_TEST_MS });
  afterEach(({ task }) => Workbench.leaveAll(task.result?.state !== "fail"));
  body(emacs);
}
