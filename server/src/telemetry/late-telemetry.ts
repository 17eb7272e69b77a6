/** Telemetry where the server's host has a provider for it, and nothing at all where there is none. */
import type { ToolHook } from "../tools/run/tool-hook.ts";
import type { RequestWatch, Telemetry, TurnWatch } from "./telemetry.ts";

/** Where every copy of OpenTelemetry's API, of its first major version, keeps what the host registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

export class LateTelemetry {
  readonly #version: string;
  readonly #logBug: (error: unknown) => void;
  #loaded: Telemetry | undefined;

  constructor(version: string, logBug: (error: unknown) => void) {
    this.#version = version;
    this.#logBug = logBug;
  }

  /** The API is loaded where a host has registered anything by now. Never rejects. */
  async load(): Promise<void> {
    if (!(REGISTERED in globalThis) || this.#loaded !== undefined) return;
    try {
      const [api, { Telemetry }] = await Promise.all([import("@opentelemetry/api"), import("./telemetry.ts")]);
      this.#loaded = new Telemetry(api, this.#version);
    } catch (error) {
      this.#logBug(error);
    }
  }

  turn(...about: Parameters<Telemetry["turn"]>): TurnWatch | undefined {
    return this.#loaded?.turn(...about);
  }

  request(...about: Parameters<Telemetry["request"]>): RequestWatch | undefined {
    return this.#loaded?.request(...about);
  }

  hooks(): readonly ToolHook[] {
    return this.#loaded === undefined ? [] : [this.#loaded.hook];
  }
}
