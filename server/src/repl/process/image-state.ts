/** The state of the image, and the part of its status about its Node and its confinement. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import { describeLevel, levelOf, missingForWall, type Level, type LevelOptions } from "../confinement/level.ts";
import { nodeVersionOf } from "../confinement/node-version.ts";
import type { FoundAtStart } from "../confinement/plan-launch.ts";
import type { Confinement, ImageOptions } from "../image.ts";
import { given } from "../../base/given.ts";

export class ImageState {
  readonly nodePath: string;
  readonly #options: ImageOptions;
  readonly #pid: () => number | undefined;
  #state: ReplStatus["state"] = "notStarted";
  #reason: string | undefined;
  /** Empty while the version is not known. */
  #nodeVersion: string;
  #found: FoundAtStart = {};
  /**
   * Kept because every change of the state reports it; it changes only with a start, when the image is opened, and when
   * the wall is found.
   */
  #detail: { readonly of: LevelOptions; readonly text: string } | undefined;

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
      level: this.level(),
      ...given({ missing: missingForWall(this.#levelOptions()) }),
      confinementDetail: this.#confinementDetail(),
      nodeVersion: this.#nodeVersion || "unknown",
      ...given({ pid: this.#pid() }),
    };
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

  level(): Level {
    return levelOf(this.#levelOptions());
  }

  #levelOptions(): LevelOptions {
    const { wall, command } = this.#options;
    return { confinement: this.confinement(), wall: wall?.peek(), prefix: command };
  }

  /** Keeps what a start found out about the possible confinement. */
  found(found: FoundAtStart): void {
    this.#found = found;
    this.#detail = undefined;
  }

  #confinementDetail(): string {
    const of = this.#levelOptions();
    const { text, of: before } = this.#detail ?? {};
    if (text !== undefined && before?.confinement === of.confinement && before.wall === of.wall) return text;
    const { network } = this.#options;
    const nodeVersion = this.#nodeVersion || process.version;
    const told = describeLevel({ ...of, nodeVersion, network, ...this.#found });
    this.#detail = { of, text: told };
    return told;
  }
}
