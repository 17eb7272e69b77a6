/** The state that the image is in, and what its status tells of the Node that runs it and of its confinement. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import { describeConfinement } from "../confinement/confinement.ts";
import type { NetworkWall } from "../confinement/network.ts";
import { nodeVersionOf } from "../confinement/node-version.ts";
import type { TreeCheck } from "../confinement/tree-check.ts";
import type { Confinement, ImageOptions } from "../image.ts";
import { given } from "../../given.ts";

export class ImageState {
  readonly nodePath: string;
  readonly #options: ImageOptions;
  readonly #pid: () => number | undefined;
  #state: ReplStatus["state"] = "notStarted";
  #reason: string | undefined;
  /** Empty until it is known. */
  #nodeVersion: string;
  #wall: NetworkWall | undefined;
  #tree: TreeCheck | undefined;
  /** Told with every change of the state; it changes only with a start, and when the image is opened. */
  #detail: { readonly of: Confinement; readonly text: string } | undefined;

  constructor(options: ImageOptions, pid: () => number | undefined) {
    this.#options = options;
    this.#pid = pid;
    this.nodePath = options.nodePath ?? (options.command === undefined ? process.execPath : "node");
    this.#nodeVersion = this.nodePath === process.execPath ? process.version : "";
  }

  enter(state: ReplStatus["state"], reason?: string): void {
    if (this.#state === state && this.#reason === reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#options.onState(this.status());
  }

  status(): ReplStatus {
    return {
      state: this.#state,
      ...given({ reason: this.#reason }),
      confinement: this.confinement(),
      confinementDetail: this.#confinementDetail(),
      nodeVersion: this.#nodeVersion || "unknown",
      ...given({ pid: this.#pid() }),
    };
  }

  isReachable(): boolean {
    return this.#state === "idle" || this.#state === "busy";
  }

  isRestarting(): boolean {
    return this.#state === "restarting";
  }

  confinement(): Confinement {
    const { confinement = "confined" } = this.#options;
    return typeof confinement === "function" ? confinement() : confinement;
  }

  /** The version of the Node that runs the image; empty when there is none. */
  async findNode(): Promise<string> {
    if (this.#nodeVersion === "") {
      this.#nodeVersion = (await nodeVersionOf(this.nodePath, this.#options.command)) ?? "";
      this.#detail = undefined;
    }
    return this.#nodeVersion;
  }

  /** What a start found out about the confinement that it can have. */
  found(wall: NetworkWall, tree: TreeCheck | undefined): void {
    this.#wall = wall;
    this.#tree = tree;
    this.#detail = undefined;
  }

  #confinementDetail(): string {
    const of = this.confinement();
    if (this.#detail?.of === of) return this.#detail.text;
    const { network, command } = this.#options;
    const nodeVersion = this.#nodeVersion || process.version;
    const found = { wall: this.#wall, tree: this.#tree };
    const text = describeConfinement({ nodeVersion, confinement: of, network, ...found, prefix: command });
    this.#detail = { of, text };
    return text;
  }
}
