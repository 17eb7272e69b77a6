/** What a conversation's model has seen of the project, and the few lines that tell it what happened since. */
import type { ToolRunner } from "../agent/loop.ts";
import { LastSeen, type ReadSeen, type SeenDocument } from "./last-seen.ts";

export interface SightPorts {
  /** Contract: calls the listener for every document of the workspace that is open, now and later. */
  readonly onOpened: (listener: (document: Pick<SeenDocument, "uri" | "path" | "text">) => void) => void;
  readonly readSeen: ReadSeen;
  /** The document that a tool's argument names; undefined when it names none that may be read. */
  readonly resolvePath: (name: string) => { readonly uri: string } | undefined;
  /** The documents that a call proposed to change. */
  readonly proposedBy: (toolCallId: string) => readonly string[];
  /** How many forms the person has evaluated since, an ISO time. */
  readonly personEvaluations: (since: string) => number;
  /** What the REPL may do now: the `words` are worth telling when the `mode` is another one. */
  readonly replState: () => { readonly mode: string; readonly words: string };
}

export class Sight {
  readonly #ports: SightPorts;
  readonly #seen = new LastSeen();
  /** Undefined before the first turn, which has nothing before it. */
  #since: string | undefined;
  #replMode: string | undefined;

  constructor(ports: SightPorts) {
    this.#ports = ports;
    ports.onOpened((document) => this.#seen.opened(document));
  }

  /** What happened since the last turn without the model's doing; undefined when nothing did. */
  async takeNews(): Promise<string | undefined> {
    const { readSeen, personEvaluations, replState } = this.#ports;
    const since = this.#since;
    this.#since = new Date().toISOString();
    const changed = await this.#seen.takeChanges(readSeen);
    const { mode, words } = replState();
    const isNewMode = this.#replMode !== undefined && this.#replMode !== mode;
    this.#replMode = mode;
    if (since === undefined) return undefined;
    const forms = personEvaluations(since);
    const news = [
      ...(changed.length === 0 ? [] : [`Changed documents that you have seen: ${changed.join(", ")}.`]),
      ...(forms === 0 ? [] : [`The person evaluated ${forms} ${forms === 1 ? "form" : "forms"} (get_repl_history).`]),
      ...(isNewMode ? [`REPL: ${words}`] : []),
    ];
    return news.length === 0 ? undefined : `[Since your last turn: ${news.join(" ")}]`;
  }

  /** The tools, with an eye on which documents the model looks at and changes. */
  watching(tools: ToolRunner): ToolRunner {
    return {
      schemas: () => tools.schemas(),
      safetyOf: (name) => tools.safetyOf(name),
      execute: async (call, context) => {
        const result = await tools.execute(call, context);
        const looked = result.success ? this.#named(call.arguments) : [];
        await this.#look([...looked, ...this.#ports.proposedBy(call.id)]);
        return result;
      },
    };
  }

  /** A file that a call names. Beside a symbol, a pattern or a form, a path only says where to look. */
  #named({ path, file, ...others }: Readonly<Record<string, unknown>>): string[] {
    if (["symbol", "pattern", "form"].some((name) => name in others)) return [];
    return [path, file].flatMap((name) => {
      const found = typeof name === "string" ? this.#ports.resolvePath(name) : undefined;
      return found === undefined ? [] : [found.uri];
    });
  }

  async #look(uris: readonly string[]): Promise<void> {
    for (const uri of uris) {
      const document = await this.#ports.readSeen(uri);
      if (document !== undefined) this.#seen.saw(document);
    }
  }
}
