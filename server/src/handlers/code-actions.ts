/** `textDocument/codeAction` and the command that its actions name: what an editor's menu says to the agent. */
import type { CodeAction, CodeActionParams, Command } from "vscode-languageserver-protocol";
import { withSignal } from "../cancellation.ts";
import { ASK_COMMAND, ASK_KINDS, askActions, type AskArguments } from "../conversation/code-actions/ask-actions.ts";
import { InvalidParamsError } from "../protocol/errors.ts";
import { problemsWith } from "../protocol/json-schema.ts";
import { requestParams } from "../protocol/methods.ts";
import type { CancellationToken, Connection, InitializeParams, InitializeResult } from "./connection.ts";
import type { Elsewhere } from "./prompt-documents.ts";
import { toResponseError } from "./requests.ts";
import type { Services } from "./services.ts";

type Capabilities = InitializeResult["capabilities"];

const LIST = "textDocument/codeAction";
const RESOLVE = "codeAction/resolve";
const EXECUTE = "workspace/executeCommand";

export class CodeActions {
  readonly #logBug: (error: unknown) => void;
  /** Set once the compiler serves the editor. */
  elsewhere: Elsewhere | undefined;
  #takesLiterals = false;

  constructor(logBug: (error: unknown) => void) {
    this.#logBug = logBug;
  }

  listen(connection: Connection, services: Services, { capabilities }: InitializeParams): void {
    this.#takesLiterals = capabilities.textDocument?.codeAction?.codeActionLiteralSupport !== undefined;
    connection.onRequest(LIST, async (params: CodeActionParams, token: CancellationToken): Promise<unknown> => {
      const theirs = this.elsewhere?.(LIST, params, token);
      const ours = this.#ours(params, services);
      if (theirs === undefined) return ours;
      const answer = await theirs;
      if (answer !== null && !Array.isArray(answer)) return answer;
      return answer === null && ours.length === 0 ? null : [...((answer ?? []) as unknown[]), ...ours];
    });
    connection.onRequest(RESOLVE, async (action: CodeAction, token: CancellationToken): Promise<unknown> => {
      if (action.command?.command === ASK_COMMAND) return action;
      return (await this.elsewhere?.(RESOLVE, action, token)) ?? action;
    });
    connection.onRequest(EXECUTE, async (params: Executed, token: CancellationToken): Promise<unknown> => {
      if (params.command !== ASK_COMMAND && this.elsewhere !== undefined) return this.elsewhere(EXECUTE, params, token);
      return withSignal(token, async (signal) => {
        try {
          return await ask(params, services);
        } catch (error) {
          return toResponseError(error, EXECUTE, signal, this.#logBug);
        }
      });
    });
  }

  #ours(params: CodeActionParams, { documents, paths }: Services): (CodeAction | Command)[] {
    const document = documents.get(params.textDocument.uri);
    const resolution = paths.resolve(params.textDocument.uri);
    if (document === undefined || !resolution.ok) return [];
    const { uri, text } = document;
    const actions = askActions({ uri, text, path: resolution.path.relative }, params);
    return this.#takesLiterals ? actions : actions.flatMap(({ command }) => command ?? []);
  }
}

interface Executed {
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** For a client that hands the command to the server instead of saying it in the conversation that it shows. */
async function ask({ command, arguments: [asked] = [] }: Executed, { prompts }: Services): Promise<unknown> {
  if (command !== ASK_COMMAND) {
    throw new InvalidParamsError([{ path: "/command", expected: ASK_COMMAND, received: command }]);
  }
  const problems = await problemsWith(requestParams["agentq/prompt"], asked);
  if (problems.length > 0)
    throw new InvalidParamsError(problems.map((each) => ({ ...each, path: `/arguments/0${each.path}` })));
  return prompts.prompt(asked as AskArguments);
}

/** What is advertised besides what the compiler serves: to a client that shows no conversation, nothing. */
export function withCodeActions(served: Capabilities): Capabilities {
  const { codeActionProvider: theirs, executeCommandProvider: executes } = served;
  const known = typeof theirs === "object" ? theirs : {};
  const kinds = [...new Set([...(known.codeActionKinds ?? []), ...ASK_KINDS])];
  return {
    ...served,
    // Without a list of kinds a server offers any.
    codeActionProvider: { ...known, ...(theirs === true ? {} : { codeActionKinds: kinds }) },
    executeCommandProvider: { ...executes, commands: [...(executes?.commands ?? []), ASK_COMMAND] },
  };
}
