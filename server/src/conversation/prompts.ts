/** The door of `agentq/prompt`: a command is answered here, everything else is said to the model. */
import { access } from "node:fs/promises";
import type { CompletionList, Position } from "vscode-languageserver-protocol";
import { given } from "../base/given.ts";
import { refuseBlank } from "../base/blank-text.ts";
import { AgentqError, errorText } from "../base/errors.ts";
import type { PromptResult, RequestParams } from "../protocol/methods.ts";
import type { CompletionPorts } from "./completion/complete-prompt.ts";
import { allCommands } from "./commands/all-commands.ts";
import type { CommandCall, SlashCommand } from "./commands/command.ts";
import type { CommandOutcome } from "./commands/command-outcome.ts";
import type { CommandPorts } from "./commands/command-ports.ts";
import { unknownCommand } from "./commands/help.ts";
import { ownCommands, type OwnCommandPorts, type OwnCommands } from "./commands/own/own-commands.ts";
import { readCommand } from "./commands/read-command.ts";
import type { SessionContexts } from "./context/session-contexts.ts";
import type { Sessions } from "./sessions.ts";

type Ports = Omit<CommandPorts, "allCommands" | "brokenPrompts" | "contexts"> & {
  readonly own: OwnCommandPorts;
  readonly completion: Omit<CompletionPorts, "commands">;
};
type Asked = readonly [text: string, position: Position, signal: AbortSignal];
type PromptParams = RequestParams<"agentq/prompt">;

export class Prompts {
  readonly #sessions: Pick<Sessions, "prompt" | "runCommand">;
  readonly #ports: CommandPorts;
  readonly #contexts: SessionContexts;
  readonly #completion: Omit<CompletionPorts, "commands">;
  readonly #ownPorts: OwnCommandPorts;

  constructor(sessions: Pick<Sessions, "prompt" | "runCommand">, contexts: SessionContexts, ports: Ports) {
    this.#completion = ports.completion;
    this.#sessions = sessions;
    this.#contexts = contexts;
    this.#ownPorts = ports.own;
    this.#ports = {
      ...ports,
      contexts,
      allCommands: () => this.all(),
      brokenPrompts: async () => (await this.#own()).broken.map(({ why }) => why),
    };
  }

  async prompt(params: PromptParams): Promise<PromptResult> {
    refuseBlank(params.text);
    const asked = readCommand(params.text);
    const command = asked && (await this.#find(asked.name));
    if (asked === undefined || command === undefined) return this.#say(params);
    const from = { sessionId: params.sessionId, active: params.active };
    const call = { rest: asked.rest, from };
    const { sessionId, why } = await this.#place(command, call);
    const { text, active, newSessionId } = params;
    const target = {
      text,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...given({ active, newSessionId }),
    };
    const result = await this.#sessions.runCommand(target, async (own, signal) =>
      why === undefined ? this.#run(command, { ...call, sessionId: own, signal }) : { answer: why, failed: true },
    );
    if (sessionId === undefined) this.#contexts.adopt(result.sessionId);
    return result;
  }

  /** With what is on the conversation's list of context. */
  async #say(params: PromptParams): Promise<PromptResult> {
    const { refs, wentTo } = await this.#contexts.take(params.sessionId);
    const result = await this.#sessions.prompt({ ...params, context: [...refs, ...(params.context ?? [])] });
    wentTo(result.sessionId);
    return result;
  }

  /** What fits at a place of a prompt that is being written. */
  async complete(...asked: Asked): Promise<CompletionList> {
    const [text, position, signal] = asked;
    // Files are read where a command is written, and not at each letter of a message.
    const commands = async (): Promise<readonly SlashCommand[]> => (text.startsWith("/") ? this.all() : allCommands);
    const { completePrompt } = await import("./completion/complete-prompt.ts");
    return completePrompt(text, position, { ...this.#completion, commands }, signal);
  }

  async all(): Promise<readonly SlashCommand[]> {
    return [...allCommands, ...(await this.#own()).commands];
  }

  async #own(): Promise<OwnCommands> {
    return ownCommands(this.#ownPorts, allCommands);
  }

  /** Undefined for text that only looks like a command: the name of a folder such as `/tmp`. */
  async #find(name: string): Promise<SlashCommand | undefined> {
    const builtIn = allCommands.find((each) => each.name === name);
    if (builtIn !== undefined) return builtIn;
    const { commands, broken } = await this.#own();
    const own = commands.find((each) => each.name === name);
    if (own !== undefined) return own;
    const why = broken.find((each) => each.name === name)?.why;
    if (why !== undefined) throw new AgentqError("unknownCommand", `There is no command /${name}: ${why}`);
    const isPath = await access(`/${name}`).then(
      () => true,
      () => false,
    );
    if (isPath) return undefined;
    throw new AgentqError("unknownCommand", unknownCommand(name, [...allCommands, ...commands]));
  }

  /** The conversation of the answer; the present one where there is a reason why it cannot be another. */
  async #place(
    command: SlashCommand,
    call: Pick<CommandCall, "rest" | "from">,
  ): Promise<{ readonly sessionId: string | undefined; readonly why?: string }> {
    const { sessionId } = call.from;
    if (command.goesTo === undefined) return { sessionId };
    try {
      const place = await command.goesTo(
        { ...call, sessionId, signal: AbortSignal.timeout(PLACE_LIMIT_MS) },
        this.#ports,
      );
      return { sessionId: place === "new" ? undefined : place };
    } catch (error) {
      return { sessionId, why: errorText(error) };
    }
  }

  async #run(command: SlashCommand, call: CommandCall): Promise<CommandOutcome> {
    try {
      return await command.run(call, this.#ports);
    } catch (error) {
      return { answer: errorText(error), failed: true };
    }
  }
}

const PLACE_LIMIT_MS = 30_000;
