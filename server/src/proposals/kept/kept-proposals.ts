/** Proposals as they outlive the server: written at each change of their state, and read back by a later server. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText } from "../../base/errors.ts";
import type { ProposalRows } from "../../storage/proposal-rows.ts";
import { closedName } from "../../workspace/secret-names.ts";
import type { Entry } from "../entries/entry.ts";
import { isPending } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { LONGEST, pack, unpack } from "./packed.ts";
import { LONGEST_PART, TextShelf } from "./text-shelf.ts";

/** Where proposals are written. */
export type ProposalKeeper = Pick<
  ProposalRows,
  "prepare" | "write" | "read" | "takeOrphans" | "hasOthersPending" | "decided"
>;

interface KeptPorts {
  /** Tells the person what cannot be kept or read, and why: once each. Contract: must not throw. */
  readonly onTrouble: (message: string) => void;
}

const UNWRITTEN = "Proposals cannot be kept on the disk: an open review ends with the server";
const UNREAD = "A proposal that was kept cannot be read and is left out (agentq/listProposals has the others)";

interface Shelf {
  readonly shelf: TextShelf;
  body: string;
}

/** What other versions of the body would be told by. */
const VERSION = 3;
/** What is quickly computed anew, and what the compiler is asked about once. */
const LEFT_OUT: ReadonlySet<string> = new Set(["since", "without"]);

export class KeptProposals {
  readonly #ports: KeptPorts;
  /** What is written of the proposals that are under review here. */
  readonly #shelves = new Map<string, Shelf>();
  #keeper: ProposalKeeper | undefined;
  readonly #told = new Set<string>();

  constructor(ports: KeptPorts) {
    this.#ports = ports;
  }

  keepIn(keeper: ProposalKeeper): void {
    this.#keeper = keeper;
  }

  /** The server ends: what is pending now is pending for the next one, whatever becomes of it here. */
  end(): void {
    this.#keeper = undefined;
  }

  /** Writes the texts of a large proposal in parts, before `keep` writes the rest. Undefined for one that is not large. */
  prepare(tracked: Tracked): Promise<void> | undefined {
    if (this.#keeper === undefined || namesSecret(tracked)) return undefined;
    const texts = tracked.request.documents
      .flatMap(({ base, target, entry }) => [
        base?.text ?? "",
        target ?? "",
        bytesIn(entry?.before),
        bytesIn(entry?.after),
      ])
      .filter((text) => text.length > LONGEST);
    const size = texts.reduce((sum, text) => sum + text.length, 0);
    return size < LONGEST_PART ? undefined : this.#writeInParts(tracked, texts);
  }

  async #writeInParts({ id, madeAt }: Tracked, texts: readonly string[]): Promise<void> {
    const shelf = new TextShelf();
    this.#shelves.set(id, { shelf, body: "" });
    const at = new Date(madeAt).toISOString();
    for (const text of texts) shelf.numberOf(text);
    for (let part = shelf.unstored(LONGEST_PART); part.length > 0; part = shelf.unstored(LONGEST_PART)) {
      const isWritten = this.#safely(UNWRITTEN, (keeper) => {
        keeper.prepare({ id, at }, part);
        return true;
      });
      // What is missing is tried once more with the rest.
      if (isWritten !== true) return;
      shelf.areStored(part);
      await nextTurn();
    }
  }

  /** Writes the proposal as it is now, if anything of it has changed. Never throws. */
  keep(tracked: Tracked): void {
    if (this.#keeper === undefined || namesSecret(tracked)) return;
    this.#safely(UNWRITTEN, (keeper) => {
      const known = this.#shelfOf(tracked.id, keeper);
      const body = pack({ version: VERSION, tracked }, known.shelf, LEFT_OUT);
      if (body === known.body) return;
      const { id, madeAt, request } = tracked;
      const at = new Date(madeAt).toISOString();
      const texts = known.shelf.unstored();
      keeper.write({ id, session: request.sessionId, at, isPending: isPending(tracked), body }, texts);
      known.shelf.areStored(texts);
      known.body = body;
      if (!isPending(tracked)) this.#shelves.delete(id);
    });
  }

  /** The proposals that were pending when their servers ended. This server has them now. */
  takeOrphans(): Tracked[] {
    const ids = this.#safely(UNREAD, (keeper) => keeper.takeOrphans()) ?? [];
    return ids.flatMap((id) => this.read(id) ?? []);
  }

  hasOthersPending(): boolean {
    return this.#safely(UNREAD, (keeper) => keeper.hasOthersPending()) ?? false;
  }

  decided(session?: string): string[] {
    return this.#safely(UNREAD, (keeper) => keeper.decided(session)) ?? [];
  }

  /** Undefined where there is no such proposal, and where it cannot be read. */
  read(id: string): Tracked | undefined {
    return this.#safely(UNREAD, (keeper) => {
      const row = keeper.read(id);
      if (row === undefined) return undefined;
      const shelf = new TextShelf(row.texts);
      return trackedFrom(unpack(row.body, shelf));
    });
  }

  #shelfOf(id: string, keeper: ProposalKeeper): Shelf {
    const known = this.#shelves.get(id) ?? { shelf: new TextShelf(keeper.read(id)?.texts), body: "" };
    this.#shelves.set(id, known);
    return known;
  }

  /** A failure is told once; what follows is tried all the same, for a full disk may be emptied. */
  #safely<Value>(what: string, use: (keeper: ProposalKeeper) => Value): Value | undefined {
    if (this.#keeper === undefined) return undefined;
    try {
      return use(this.#keeper);
    } catch (error) {
      if (!this.#told.has(what)) this.#ports.onTrouble(`${what}: ${errorText(error)}.`);
      this.#told.add(what);
      return undefined;
    }
  }
}

/** No tool proposes for such a file; should one ever do so, its text does not come to the disk. */
function namesSecret({ documents }: Tracked): boolean {
  const paths = documents.flatMap(({ from, movedTo }) => [from.path, movedTo?.path ?? ""]);
  return paths.some((path) => closedName(path.split("/"))?.kind === "secret");
}

function bytesIn(entry: Entry | null | undefined): string {
  return entry?.kind === "file" ? (entry.content?.base64 ?? "") : "";
}

function trackedFrom(body: unknown): Tracked {
  const { version, tracked } = body as { version?: unknown; tracked?: Tracked };
  if (version !== VERSION || !Array.isArray(tracked?.hunks) || !Array.isArray(tracked.documents)) {
    throw new Error("another version of Agent-Q wrote it");
  }
  return tracked;
}
