import { describe } from "vitest";
import { describeEachEmacs } from "./describe-emacs.ts";
import { serversTests } from "./servers/servers.ts";
import { lspModeTests } from "./servers/lsp-mode.ts";

describeEachEmacs((editor) => {
  describe("servers", () => serversTests(editor));
  describe("lsp mode", () => lspModeTests(editor));
});
