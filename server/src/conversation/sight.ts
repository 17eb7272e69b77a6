/** What a conversation's model has seen of the project, and the few lines that tell it what happened since. */
import type { ToolRunner } from "../agent/run-calls.ts";
import type { ModelMessage } from "../model/model-port.ts";
import type { Lazy } from "../base/lazy.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { Programs } from "../repl/attached/programs.ts";
import type { Repl } from "../repl/repl.ts";
import { placeWords, type ActivePlace } from "../surroundings/where-the-person-is.ts";
import { plainName } from "../workspace/plain-text.ts";
import type { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import type { ReadText } from "../tools/tool.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { LastSeen } from "./last-seen.ts";
import { plural } from "../base/plural.ts";

/** So many files of one answer are looked at. */
const MAX_GLIMPSED = 20;
/** More of the person's forms are not counted: the history keeps no more. */
const COUNTED = 500;

export interface SightPorts {
  readonly paths: Pick<WorkspacePaths, "resolve">;
  readonly texts: Pick<WorkspaceTexts, "onOpened" | "seen">;
  readonly proposals: Pick<ProposalStore, "known">;
  readonly repl: Pick<Lazy<Repl>, "peek">;
  readonly programs: { readonly peek: () => Pick<Programs, "shown"> | undefined };
  /** What a colleague would know before the first prompt. Contract: neither rejects, and both end soon. */
  readonly describeSurroundings: (active: ActivePlace | undefined) => Promise<string>;
  readonly gitBranch: () => Promise<string | undefined>;
}

/** A conversation that is taken up again, by this server or after another one. */
export interface TakenUp {
  /** Whether its last turn came to no end. */
  readonly isCut: boolean;
  readonly isNewServer: boolean;
}

/** The documents of a call, by their URIs. */
interface Looked {
  /** Those that an answer shows lines of, or names. */
  readonly shown: readonly string[];
  readonly proposed: readonly string[];
  readonly read: readonly ReadText[];
}

export class Sight {
  readonly #ports: SightPorts;
  /** Hears of every file and folder that a call names or proposes to change. */
  readonly #onTouched: (uri: string) => void;
  readonly #seen = new LastSeen();
  /** Undefined before the first turn, which has nothing before it. */
  #since: string | undefined;
  readonly #takenUp: TakenUp | undefined;
  #replMode: string | undefined;
  /** The REPL's process as the model knows it; undefined before there was one. */
  #process: number | undefined;
  /** The running programs as the model knows them. */
  #programs: readonly string[] = [];
  #branch: string | undefined;
  #place = "";

  constructor(ports: SightPorts, onTouched: (uri: string) => void, takenUp?: TakenUp) {
    this.#ports = ports;
    this.#takenUp = takenUp;
    this.#onTouched = onTouched;
    ports.texts.onOpened((document) => this.#seen.opened(document));
  }

  /** Before the first turn what surrounds it, later what happened since the last one without the model's doing. */
  async takeNews(active: ActivePlace | undefined): Promise<string[]> {
    const { texts, gitBranch, describeSurroundings } = this.#ports;
    const since = this.#since;
    this.#since = new Date().toISOString();
    const [changed, branch, surroundings] = await Promise.all([
      this.#seen.takeChanges((uri) => texts.seen(uri)),
      gitBranch(),
      since === undefined && this.#takenUp === undefined ? describeSurroundings(active) : undefined,
    ]);
    const { mode, words, process } = this.#replState();
    const isLost = this.#process !== undefined && this.#process !== process;
    this.#process = process;
    const isNewMode = mode !== undefined && this.#replMode !== undefined && this.#replMode !== mode;
    this.#replMode = mode ?? this.#replMode;
    const programs = this.#newPrograms();
    const moved = [...programs, ...this.#newBranch(branch), ...this.#newPlace(active)];
    if (since === undefined && this.#takenUp !== undefined) {
      const git = branch === undefined ? [] : [`Git: ${plainName(branch)} is checked out.`];
      return [`[${[...takenUpWords(this.#takenUp), ...git, ...moved].join(" ")}]`];
    }
    if (since === undefined) {
      const running = programs.length === 0 ? undefined : `[${programs.join(" ")}]`;
      return [surroundings, running].filter((text) => text !== undefined);
    }
    const forms = this.#personEvaluations(since);
    const news = [
      ...(changed.length === 0 ? [] : [`Changed documents that you have seen: ${changed.join(", ")}.`]),
      ...(forms === 0 ? [] : [`The person evaluated ${plural(forms, "form")} (get_repl_history).`]),
      ...(isLost
        ? ["The REPL's process is gone, or a new one: earlier names and values are gone, and what was installed."]
        : []),
      ...(isNewMode ? [`REPL: ${words}`] : []),
      ...moved,
    ];
    return news.length === 0 ? [] : [`[Since your last turn: ${news.join(" ")}]`];
  }

  #personEvaluations(since: string): number {
    const items = this.#ports.repl.peek()?.history({ limit: COUNTED }).items ?? [];
    return items.filter(({ by, at }) => by === "person" && at > since).length;
  }

  /** What the REPL may do now: the `words` are worth telling when the `mode` is another one. Unknown before it was asked for. */
  #replState(): { readonly mode: string | undefined; readonly words: string; readonly process: number | undefined } {
    const status = this.#ports.repl.peek()?.status();
    const mode = status && `${status.confinement} ${status.consent}`;
    return { mode, words: status?.confinementDetail ?? "", process: status?.pid };
  }

  /** Programs that the person has started or ended. */
  #newPrograms(): string[] {
    const [before, now] = [this.#programs, this.#ports.programs.peek()?.shown() ?? []];
    this.#programs = now;
    const [ended, started] = [before.filter((one) => !now.includes(one)), now.filter((one) => !before.includes(one))];
    return [
      ...(ended.length === 0
        ? []
        : [`Ended or detached: ${ended.join(", ")}; count on nothing that was installed there.`]),
      ...(started.length === 0
        ? []
        : [`The person's running program, for the argument process: ${started.join(", ")}.`]),
    ];
  }

  /** A branch that git does not tell in time is taken as the one before. */
  #newBranch(branch: string | undefined): string[] {
    const before = this.#branch;
    this.#branch = branch ?? before;
    if (before === undefined || branch === undefined || before === branch) return [];
    return [`Git: ${plainName(branch)} is checked out now, no longer ${plainName(before)}.`];
  }

  #newPlace(active: ActivePlace | undefined): string[] {
    if (active === undefined) return [];
    const [before, now] = [this.#place, placeWords(active)];
    this.#place = now;
    return before === now ? [] : [`The person is in ${now}.`];
  }

  /** The tools, with an eye on which documents the model looks at and changes. */
  watching(tools: ToolRunner): ToolRunner {
    return {
      schemas: (sessionId) => tools.schemas(sessionId),
      safetyOf: (name) => tools.safetyOf(name),
      filesOf: (call) => tools.filesOf(call),
      upToDate: (answers, again) => tools.upToDate(answers, again),
      execute: async (call, context) => {
        const read = new Map<string, ReadText>();
        const result = await tools.execute(call, { ...context, onRead: (each) => void read.set(each.uri, each) });
        const shown = result.success ? this.#uris(namesIn(result.content)) : [];
        const proposed = this.#ports.proposals.known.urisOf(call.id);
        for (const uri of [...this.#touched(call.arguments), ...proposed]) this.#onTouched(uri);
        this.#process = this.#replState().process;
        await this.#look({ shown, proposed, read: result.success ? [...read.values()] : [] });
        return result;
      },
    };
  }

  /** What surrounds the conversation, for a model that has lost its beginning. The person's place is told next time. */
  again(): Promise<string> {
    this.#place = "";
    return this.#ports.describeSurroundings(undefined);
  }

  /** The model has these messages alone: of a document that none of them names it knows nothing any more. */
  keepOnly(messages: readonly ModelMessage[]): void {
    const uris = messages.flatMap(({ content }) => content.flatMap((block) => this.#namedIn(block)));
    this.#seen.keepOnly(new Set(uris));
  }

  #namedIn(block: ModelMessage["content"][number]): string[] {
    if (block.kind === "toolUse") return this.#touched(block.arguments);
    return block.kind === "toolResult" ? this.#uris(namesIn(block.content)) : [];
  }

  /** Parts of these documents are in the conversation: what has changed since the model saw more of them stays news. */
  glimpsed(uris: readonly string[]): Promise<void> {
    return this.#look({ shown: uris, proposed: [], read: [] });
  }

  /** Whatever file or folder a call is about, also that of a symbol. */
  #touched({ path, file, package: folder, symbol }: Readonly<Record<string, unknown>>): string[] {
    const ofSymbol = typeof symbol === "string" && symbol.includes("#") ? symbol.split("#")[0] : undefined;
    return this.#uris([path, file, folder, ofSymbol]);
  }

  #uris(names: readonly unknown[]): string[] {
    return names.flatMap((name) => {
      const resolution = typeof name === "string" ? this.#ports.paths.resolve(name) : undefined;
      return resolution?.ok === true ? [resolution.path.uri] : [];
    });
  }

  async #look({ shown, proposed, read }: Looked): Promise<void> {
    for (const uri of new Set([...read.map((each) => each.uri), ...shown, ...proposed])) {
      const own = read.find((each) => each.uri === uri);
      const document = await this.#ports.texts.seen(uri, own?.text);
      if (document === undefined) {
        if (proposed.includes(uri)) this.#seen.gone(uri);
      } else if (own !== undefined) this.#seen.read({ ...document, text: own.text }, own.stretches);
      else if (proposed.includes(uri)) this.#seen.saw(document);
      else this.#seen.opened(document);
    }
  }
}

/** What the model read before is not believed any more: nobody has watched the files since. */
function takenUpWords({ isCut, isNewServer }: TakenUp): string[] {
  return [
    `This conversation goes on after a pause; today is ${new Date().toISOString().slice(0, 10)}.`,
    ...(isCut ? ["Your last turn was cut off."] : []),
    "Every file that you have read may have changed since: read it again before you rely on it.",
    ...(isNewServer
      ? ["The REPL's process is another one: earlier names and values are gone, and what was installed."]
      : []),
  ];
}

/** The files whose lines an answer shows: those that lines of the answer begin with. */
function namesIn(content: string): string[] {
  const names = new Set<string>();
  for (const [, name = ""] of content.matchAll(/^\s*([^\s:#()]+\.\w+)(?=[\s:#]|$)/gm)) {
    if (names.size === MAX_GLIMPSED) break;
    names.add(name);
  }
  return [...names];
}
