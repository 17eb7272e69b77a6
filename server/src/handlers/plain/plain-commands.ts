/** Commands for an editor that knows only standard LSP, and the code actions that name them. */
import type { CodeAction, CodeActionParams, Range } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { evaluated } from "../../client/questions.ts";
import type { AskedDocument } from "../../conversation/code-actions/ask-actions.ts";
import { InvalidParamsError } from "../../base/errors.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import { requestParams, type RequestParams } from "../../protocol/methods.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { RequestHandlers } from "../requests.ts";
import type { PlainEditor } from "./plain-editor.ts";

const none: JsonSchema = { type: "object", additionalProperties: false };
/** The tool itself checks what it is given. */
const any: JsonSchema = { type: "object" };

/** What each command takes as its only argument. */
const argumentsOf: Readonly<Record<string, JsonSchema>> = {
  "agentq.prompt": requestParams["agentq/prompt"],
  "agentq.evaluate": requestParams["agentq/evaluate"],
  "agentq.addContext": requestParams["agentq/addContext"],
  "agentq.runTests": any,
  "agentq.rename": any,
  "agentq.answer": none,
  "agentq.cancel": none,
  "agentq.newConversation": none,
};
export const PLAIN_COMMANDS: readonly string[] = Object.keys(argumentsOf);
export const PLAIN_KINDS: readonly string[] = ["agentq.evaluate", "agentq.runTests", "agentq.context", "agentq.answer"];

const SAID_CHARACTERS = 200;
const CODE = /\.[cm]?[jt]sx?$/;
const TEST = /[.-](?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)tests?\//;

export class PlainCommands {
  readonly #editor: PlainEditor;
  readonly #handlers: () => RequestHandlers;

  constructor(editor: PlainEditor, handlers: () => RequestHandlers) {
    this.#editor = editor;
    this.#handlers = handlers;
  }

  /** Answers what the request answers; what a person reads is shown. Rejects with the problems of a wrong argument. */
  async execute(command: string, given: unknown = {}, signal: AbortSignal): Promise<unknown> {
    const schema = argumentsOf[command];
    if (schema === undefined) {
      throw new InvalidParamsError([{ path: "/command", expected: PLAIN_COMMANDS.join(", "), received: command }]);
    }
    const problems = await problemsWith(schema, given);
    if (problems.length > 0) {
      throw new InvalidParamsError(problems.map((each) => ({ ...each, path: `/arguments/0${each.path}` })));
    }
    const handlers = this.#handlers();
    const { sessionId } = this.#editor;
    const known = sessionId === undefined ? {} : { sessionId };
    switch (command) {
      case "agentq.prompt":
        return this.#editor.prompt(given as RequestParams<"agentq/prompt">);
      case "agentq.evaluate": {
        const result = await handlers["agentq/evaluate"](given as RequestParams<"agentq/evaluate">, signal);
        await this.#show("value", "txt", evaluated(result));
        return result;
      }
      case "agentq.runTests":
        return this.#call("run_tests", given, signal);
      case "agentq.rename":
        return this.#call("rename_symbol", given, signal);
      case "agentq.addContext":
        return handlers["agentq/addContext"]({ ...known, ...(given as RequestParams<"agentq/addContext">) }, signal);
      case "agentq.cancel":
        return sessionId === undefined ? null : handlers["agentq/cancel"]({ sessionId }, signal);
      case "agentq.newConversation":
        this.#editor.sessionId = undefined;
        return null;
      default:
        this.#editor.askAgain();
        return null;
    }
  }

  /** What can be done at a place without the model. */
  actions(
    { uri, text: written, path }: AskedDocument,
    { range, context }: Pick<CodeActionParams, "range" | "context">,
  ): CodeAction[] {
    const document = TextDocument.create(uri, "", 0, written);
    const selected = document.getText(range).trim();
    const isCode = CODE.test(path);
    const all = [
      ...(selected !== "" && isCode
        ? [action("evaluate", "evaluate the selection", { code: selected, module: path })]
        : []),
      ...(TEST.test(path) ? [action("runTests", "run the tests of this file", { path })] : []),
      ...(selected === ""
        ? []
        : [action("addContext", "add the selection to the next question", itemOf(uri, path, range))]),
      ...(this.#editor.waiting === 0 ? [] : [action("answer", `answer what waits (${this.#editor.waiting})`, {})]),
    ];
    const wanted = context.only?.filter((kind) => kind !== "") ?? [];
    if (wanted.length === 0) return all;
    return all.filter(({ kind = "" }) => wanted.some((each) => kind === each || kind.startsWith(`${each}.`)));
  }

  async #call(name: string, given: unknown, signal: AbortSignal): Promise<unknown> {
    const call = { name, arguments: given as Readonly<Record<string, unknown>> };
    const result = await this.#handlers()["agentq/callTool"](call, signal);
    await this.#show(name, "md", result.success ? result.content : (result.error ?? ""));
    return result;
  }

  async #show(name: string, extension: string, shown: string): Promise<void> {
    const isShort = shown.length <= SAID_CHARACTERS && !shown.trim().includes("\n");
    if (isShort) this.#editor.say(shown.trim());
    else await this.#editor.answers.show(name, extension, shown);
  }
}

const kinds: Readonly<Record<string, string>> = { addContext: "context" };

function action(command: string, title: string, given: object): CodeAction {
  const shown = `Agent-Q: ${title}`;
  const kind = `agentq.${kinds[command] ?? command}`;
  return { title: shown, kind, command: { title: shown, command: `agentq.${command}`, arguments: [given] } };
}

function itemOf(uri: string, path: string, range: Range): object {
  const label = `${path}:${range.start.line + 1}`;
  return { items: [{ kind: "selection", uri, range, label }] };
}
