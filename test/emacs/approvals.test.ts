import { describe } from "vitest";
import { approvalsTests } from "./approvals/approvals.ts";
import { killedServersTests } from "./approvals/killed-servers.ts";
import { openBuffersTests } from "./approvals/open-buffers.ts";
import { describeEachConnection } from "./describe-emacs.ts";

describeEachConnection((editor) => {
  describe("approvals", () => approvalsTests(editor));
  describe("open buffers", () => openBuffersTests(editor));
  describe("killed servers", () => killedServersTests(editor));
});
