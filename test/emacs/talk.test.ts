/** What one says to the agent and reads of it. */
import { describe } from "vitest";
import { describeEachConnection, describeEachEmacs } from "./describe-emacs.ts";
import { conversationTests } from "./talk/conversation.ts";
import { turnTests } from "./talk/turn.ts";
import { composeTests } from "./talk/compose.ts";
import { queueTests } from "./talk/queue.ts";
import { messagesTests } from "./talk/messages.ts";
import { quitTests } from "./talk/quit.ts";
import { inputTests } from "./talk/input.ts";
import { sessionsTests } from "./talk/sessions.ts";
import { storedTests } from "./talk/stored.ts";
import { longSessionsTests } from "./talk/long-sessions.ts";
import { modelsTests } from "./talk/models.ts";
import { codeActionsTests } from "./talk/code-actions.ts";
import { flycheckTests } from "./talk/flycheck.ts";
import { mcpTests } from "./talk/mcp.ts";
import { foundTests } from "./talk/found.ts";
import { menuTests } from "./talk/menu.ts";
import { answersTests } from "./talk/answers.ts";

describeEachEmacs((editor) => {
  describe("conversation", () => conversationTests(editor));
  describe("queue", () => queueTests(editor));
  describe("messages", () => messagesTests(editor));
  describe("input", () => inputTests(editor));
  describe("sessions", () => sessionsTests(editor));
  describe("stored", () => storedTests(editor));
  describe("long sessions", () => longSessionsTests(editor));
  describe("models", () => modelsTests(editor));
  describe("code actions", () => codeActionsTests(editor));
  describe("flycheck", () => flycheckTests(editor));
  describe("mcp", () => mcpTests(editor));
  describe("found", () => foundTests(editor));
  describe("menu", () => menuTests(editor));
  describe("answers", () => answersTests(editor));
});

describeEachConnection((editor) => {
  describe("turn", () => turnTests(editor));
  describe("compose", () => composeTests(editor));
  describe("quit", () => quitTests(editor));
});
