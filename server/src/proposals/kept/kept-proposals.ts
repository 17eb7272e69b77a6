/** Proposals as they outlive the server: written at each change of their state, and read back by a later server. */
import { errorText } from "../../protocol/errors.ts";
import { isSecretName } from "../../workspace/workspace-paths.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { pack, unpack } from "./packed.ts";
import { TextShelf, type StoredText } from "./text-shelf.ts";

export interface KeptProposal {
  readonly id: string;
  readonly session: string | undefined;
  readonly at: string;
  readonly isPending: boolean;
  readonly body: string;
}

/** Where proposals are written. Contract: may throw; `write` is all or nothing, and is done when it returns. */
export interface ProposalKeeper {
  readonly write: (proposal: KeptProposal, texts: readonly StoredText[]) => void;
  readonly read: (id: string) => (KeptProposal & { readonly texts: readonly StoredText[] }) | undefined;
  /** The pending ones of servers that have ended belong to this server from now on. */
  readonly takeOrphans: () => string[];
  /** Other servers that run have pending ones. */
  readonly hasOthersPending: () => boolean;
  /** Oldest first. */
  readonly decided: (session?: string) => string[];
}

interface KeptPorts {
  /** Tells the person, once, that proposals are not kept any more, and why. */
  readonly onLost: (reason: string) => void;
}

/** What other versions of the body would be told by. */
const VERSION = 1;

export class KeptProposals {
  readonly #ports: KeptPorts;
  readonly #shelves = new WeakMap<Tracked, { readonly shelf: TextShelf; body: string }>();
  #keeper: ProposalKeeper | undefined;
  #isLost = false;

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

  /** Writes the proposal as it is now, if anything of it has changed. Never throws. */
  keep(tracked: Tracked): void {
    if (this.#keeper === undefined || namesSecret(tracked)) return;
    this.#safely((keeper) => {
      const known = this.#shelves.get(tracked) ?? { shelf: new TextShelf(), body: "" };
      this.#shelves.set(tracked, known);
      const { settled: _settled, ...rest } = tracked;
      const body = pack({ version: VERSION, tracked: rest }, known.shelf);
      if (body === known.body) return;
      const { id, madeAt, state, request } = tracked;
      const at = new Date(madeAt).toISOString();
      keeper.write(
        { id, session: request.sessionId, at, isPending: state === "pending", body },
        known.shelf.unstored(),
      );
      known.shelf.isStored();
      known.body = body;
    });
  }

  /** The proposals that were pending when their servers ended. This server has them now. */
  takeOrphans(): Tracked[] {
    const ids = this.#safely((keeper) => keeper.takeOrphans()) ?? [];
    return ids.flatMap((id) => this.read(id) ?? []);
  }

  hasOthersPending(): boolean {
    return this.#safely((keeper) => keeper.hasOthersPending()) ?? false;
  }

  decided(session?: string): string[] {
    return this.#safely((keeper) => keeper.decided(session)) ?? [];
  }

  /** Undefined where there is no such proposal, and where it cannot be read. */
  read(id: string): Tracked | undefined {
    return this.#safely((keeper) => {
      const row = keeper.read(id);
      if (row === undefined) return undefined;
      const shelf = new TextShelf(row.texts);
      const tracked = trackedFrom(unpack(row.body, shelf));
      this.#shelves.set(tracked, { shelf, body: row.body });
      return tracked;
    });
  }

  /** A failure is told once; what follows is tried all the same, for a full disk may be emptied. */
  #safely<Value>(use: (keeper: ProposalKeeper) => Value): Value | undefined {
    if (this.#keeper === undefined) return undefined;
    try {
      return use(this.#keeper);
    } catch (error) {
      if (!this.#isLost) this.#ports.onLost(errorText(error));
      this.#isLost = true;
      return undefined;
    }
  }
}

/** No tool proposes for such a file; should one ever do so, its text does not come to the disk. */
function namesSecret({ documents }: Tracked): boolean {
  const paths = documents.flatMap(({ from, movedTo }) => [from.path, movedTo?.path ?? ""]);
  return paths.some((path) => path.split("/").some(isSecretName));
}

function trackedFrom(body: unknown): Tracked {
  const { version, tracked } = body as { version?: unknown; tracked?: Tracked };
  if (version !== VERSION || !Array.isArray(tracked?.hunks) || !Array.isArray(tracked.documents)) {
    throw new Error("a proposal was written by another version of Agent-Q");
  }
  return { ...tracked, settled: Promise.withResolvers() };
}
