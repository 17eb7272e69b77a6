/** `textDocument/codeAction` and the command that its actions name: what an editor's menu says to the agent. */
import type { CodeAction, CodeActionParams, Command } from "vscode-languageserver-protocol";
import { withSignal } from "../base/cancellation.ts";
import {
  ASK_COMMAND,
  ASK_KINDS,
  askActions,
  type AskArguments,
  type AskedDocument,
} from "../conversation/code-actions/ask-actions.ts";
import { InvalidParamsError } from "../base/errors.ts";
import { problemsWith } from "../schema/json-schema.ts";
import { requestParams } from "../protocol/methods.ts";
import type { CancellationToken, Connection, InitializeParams, InitializeResult } from "./connection.ts";
import { isKate, isQuickFix, oneFix, placeIn } from "./plain/kate.ts";
import { PLAIN_COMMANDS, PLAIN_KINDS, type PlainCommands } from "./plain/plain-commands.ts";
import type { PlainEditor } from "./plain/plain-editor.ts";
import type { Elsewhere } from "./prompt-documents.ts";
import { toResponseError } from "./requests.ts";
import type { Services } from "../services.ts";

type Capabilities = InitializeResult["capabilities"];

const LIST = "textDocument/codeAction";
const RESOLVE = "codeAction/resolve";
const EXECUTE = "workspace/executeCommand";

export interface CodeActionsParts {
  readonly logBug: (error: unknown) => void;
  /** There for an editor that knows only standard LSP. */
  readonly plain: Plain | undefined;
  /** Whether the client can be proposed edits. */
  readonly takesEdits: () => boolean;
}

export class CodeActions {
  readonly #logBug: (error: unknown) => void;
  readonly #plain: Plain | undefined;
  readonly #takesEdits: () => boolean;
  /** Set once the compiler serves the editor. */
  elsewhere: Elsewhere | undefined;
  #takesLiterals = false;
  #isKate = false;

  constructor(parts: CodeActionsParts) {
    this.#logBug = parts.logBug;
    this.#plain = parts.plain;
    this.#takesEdits = parts.takesEdits;
  }

  listen(connection: Connection, services: Services, setup: InitializeParams): void {
    this.#takesLiterals = setup.capabilities.textDocument?.codeAction?.codeActionLiteralSupport !== undefined;
    this.#isKate = isKate(setup);
    connection.onRequest(LIST, async (params: CodeActionParams, token: CancellationToken): Promise<unknown> => {
      const theirs = this.elsewhere?.(LIST, params, token);
      const ours = this.#ours(params, services);
      if (theirs === undefined) return ours;
      const answer = await theirs;
      if (answer !== null && !Array.isArray(answer)) return answer;
      if (this.#isKate && isQuickFix(params))
        return oneFix([...((answer ?? []) as CodeAction[]), ...(ours as CodeAction[])]);
      return answer === null && ours.length === 0 ? null : [...((answer ?? []) as unknown[]), ...ours];
    });
    connection.onRequest(RESOLVE, async (action: CodeAction, token: CancellationToken): Promise<unknown> => {
      if (this.#isOurs(action.command?.command)) return action;
      return (await this.elsewhere?.(RESOLVE, action, token)) ?? action;
    });
    connection.onRequest(EXECUTE, async (params: Executed, token: CancellationToken): Promise<unknown> => {
      if (!this.#isOurs(params.command) && this.elsewhere !== undefined) return this.elsewhere(EXECUTE, params, token);
      return withSignal(token, async (signal) => {
        try {
          return await this.#execute(params, services, signal);
        } catch (error) {
          return toResponseError(error, EXECUTE, signal, this.#logBug);
        }
      });
    });
  }

  #isOurs(command = ""): boolean {
    return command === ASK_COMMAND || (this.#plain !== undefined && PLAIN_COMMANDS.includes(command));
  }

  async #execute(given: Executed, services: Services, signal: AbortSignal): Promise<unknown> {
    const plain = this.#plain;
    const params = withWords(given);
    if (plain !== undefined && params.command !== ASK_COMMAND)
      return plain.commands.execute(params.command, params.arguments?.[0], signal);
    return ask(params, plain === undefined ? services.prompts : plain.editor);
  }

  #ours(params: CodeActionParams, { documents, paths }: Services): (CodeAction | Command)[] {
    const document = documents.get(params.textDocument.uri);
    const resolution = paths.resolve(params.textDocument.uri);
    if (document === undefined || !resolution.ok) return [];
    const { uri, text } = document;
    const asked = { uri, text, path: resolution.path.relative, takesEdits: this.#takesEdits() };
    const actions = this.#isKate && isQuickFix(params) ? oneFix(askActions(asked, params)) : this.#all(asked, params);
    return this.#takesLiterals ? actions : actions.flatMap(({ command }) => command ?? []);
  }

  #all(asked: AskedDocument, params: CodeActionParams): CodeAction[] {
    const range = this.#isKate ? placeIn(params.range, asked.text) : params.range;
    return [...askActions(asked, { ...params, range }), ...(this.#plain?.commands.actions(asked, params) ?? [])];
  }
}

export interface Plain {
  readonly editor: PlainEditor;
  readonly commands: PlainCommands;
}

interface Executed {
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** What a command line takes for a command's words: `:CocCommand agentq.ask why is it null`. */
const WORDS: Readonly<Record<string, string>> = {
  [ASK_COMMAND]: "text",
  "agentq.prompt": "text",
  "agentq.evaluate": "code",
};

/** A command line's words are strings, and are what the command is mainly about. */
function withWords({ command, arguments: given = [] }: Executed): Executed {
  const name = WORDS[command];
  const isWords = name !== undefined && given.length > 0 && given.every((each) => typeof each === "string");
  return { command, arguments: isWords ? [{ [name]: given.join(" ") }] : given };
}

/** For a client that hands the command to the server instead of saying it in the conversation that it shows. */
async function ask(
  { command, arguments: [asked] = [] }: Executed,
  prompts: { readonly prompt: (asked: AskArguments) => Promise<unknown> },
): Promise<unknown> {
  if (command !== ASK_COMMAND) {
    throw new InvalidParamsError([{ path: "/command", expected: ASK_COMMAND, received: command }]);
  }
  const problems = await problemsWith(requestParams["agentq/prompt"], asked);
  if (problems.length > 0)
    throw new InvalidParamsError(problems.map((each) => ({ ...each, path: `/arguments/0${each.path}` })));
  return prompts.prompt(asked as AskArguments);
}

/** What is advertised besides what the compiler serves. */
export function withCodeActions(served: Capabilities, isPlain: boolean): Capabilities {
  const { codeActionProvider: theirs, executeCommandProvider: executes } = served;
  const known = typeof theirs === "object" ? theirs : {};
  const kinds = [...new Set([...(known.codeActionKinds ?? []), ...ASK_KINDS, ...(isPlain ? PLAIN_KINDS : [])])];
  return {
    ...served,
    // Without a list of kinds a server offers any.
    codeActionProvider: { ...known, ...(theirs === true ? {} : { codeActionKinds: kinds }) },
    executeCommandProvider: {
      ...executes,
      commands: [...(executes?.commands ?? []), ASK_COMMAND, ...(isPlain ? PLAIN_COMMANDS : [])],
    },
  };
}
