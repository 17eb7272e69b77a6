/**
 * One compiler process as the editor knows it: what the process registered, began and showed in the editor, so that all
 * of that can be taken back.
 */
import { pause } from "../../base/abort.ts";
import { memberAt, type EditorPort, type EditorProfile } from "../session/editor-port.ts";
import type { NativeClient } from "../session/native-process.ts";

interface Registration {
  readonly id: string;
  readonly method: string;
}

/** Until its first configuration arrives the compiler answers nobody, the agent's tools included. */
const CONFIGURATION_LIMIT_MS = 5_000;

export class EditorSide implements NativeClient {
  readonly profile: EditorProfile;
  readonly #editor: EditorPort;
  readonly #onLateSettings: (settings: object) => void;
  readonly #log: (message: string) => void;
  readonly #registrations = new Map<string, Registration>();
  readonly #progress = new Set<string | number>();
  /** Files with diagnostics that the process pushed by itself. */
  readonly #diagnosed = new Set<string>();
  /** The sections of the editor's settings that the compiler reads. */
  #sections: readonly unknown[] = [];
  #isReady = false;
  #isClosed = false;

  /** `onLateSettings` hears of settings that came after the compiler had been given none. */
  constructor(editor: EditorPort, onLateSettings: (settings: object) => void, log: (message: string) => void) {
    this.profile = editor.profile;
    this.#onLateSettings = onLateSettings;
    this.#editor = editor;
    this.#log = log;
    void editor.ready.then(() => {
      this.#isReady = true;
    });
  }

  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!this.#isReady) await this.#editor.ready;
    if (this.#isClosed) return null;
    switch (method) {
      case "client/registerCapability":
        return this.#register(params as { registrations: readonly Registration[] }, signal);
      case "client/unregisterCapability":
        return this.#unregister(params as { unregisterations: readonly Registration[] }, signal);
      case "workspace/configuration":
        this.#sections = (params as { items: readonly unknown[] }).items;
        return this.#configuration(this.#sections, signal);
      default:
        return this.#editor.request(method, params, signal);
    }
  }

  notify(method: string, params: unknown): void {
    if (!this.#isReady) void this.#editor.ready.then(() => this.#pass(method, params));
    else this.#pass(method, params);
  }

  /** The settings as `workspace/didChangeConfiguration` carries them; undefined when the compiler asked for none. */
  async settings(): Promise<object | undefined> {
    if (this.#sections.length === 0 || !this.#canAsk("configuration")) return undefined;
    return this.#named(await this.#configuration(this.#sections, new AbortController().signal));
  }

  /** The process is gone: what it left behind in the editor goes too. Later messages of it are dropped. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const unregisterations = [...this.#registrations.values()].map(({ id, method }) => ({ id, method }));
    if (unregisterations.length > 0) {
      this.#ask("client/unregisterCapability", { unregisterations });
    }
    for (const token of this.#progress) this.#editor.notify("$/progress", { token, value: { kind: "end" } });
    for (const uri of this.#diagnosed) this.#editor.notify("textDocument/publishDiagnostics", { uri, diagnostics: [] });
  }

  #pass(method: string, params: unknown): void {
    if (this.#isClosed || method === "$/logTrace") return;
    if (method === "$/progress") this.#noteProgress(params);
    if (method === "textDocument/publishDiagnostics") this.#noteDiagnostics(params);
    this.#editor.notify(method, params);
  }

  #noteProgress(params: unknown): void {
    const token = memberAt(params, "token") as string | number;
    const kind = memberAt(params, "value", "kind");
    if (kind === "begin") this.#progress.add(token);
    else if (kind === "end") this.#progress.delete(token);
  }

  #noteDiagnostics(params: unknown): void {
    const { uri, diagnostics } = params as { uri: string; diagnostics: readonly unknown[] };
    if (diagnostics.length === 0) this.#diagnosed.delete(uri);
    else this.#diagnosed.add(uri);
  }

  /** The compiler also registers what the editor cannot register; such a registration needs nothing but a yes. */
  async #register(params: { readonly registrations: readonly Registration[] }, signal: AbortSignal): Promise<null> {
    const registrations = params.registrations.filter(({ method }) => this.#canRegister(method));
    if (registrations.length === 0) return null;
    for (const registration of registrations) this.#registrations.set(registration.id, registration);
    await this.#editor.request("client/registerCapability", { registrations }, signal);
    return null;
  }

  async #unregister(
    params: { readonly unregisterations: readonly Registration[] },
    signal: AbortSignal,
  ): Promise<null> {
    const unregisterations = params.unregisterations.filter(({ id }) => this.#registrations.delete(id));
    if (unregisterations.length === 0) return null;
    await this.#editor.request("client/unregisterCapability", { unregisterations }, signal);
    return null;
  }

  #canRegister(method: string): boolean {
    return memberAt(this.profile.capabilities, ...method.split("/"), "dynamicRegistration") === true;
  }

  #canAsk(feature: string): boolean {
    return memberAt(this.profile.capabilities, "workspace", feature) === true;
  }

  async #configuration(items: readonly unknown[], signal: AbortSignal): Promise<readonly unknown[]> {
    const nothing = items.map(() => null);
    if (!this.#canAsk("configuration")) return nothing;
    const request = this.#editor.request("workspace/configuration", { items }, signal);
    // Some editors have nothing to say and answer null.
    const asked = request.then((answer) => (Array.isArray(answer) ? (answer as readonly unknown[]) : nothing));
    try {
      const answer = await Promise.race([asked, pause(CONFIGURATION_LIMIT_MS, signal)]);
      if (answer !== undefined) return answer;
    } catch (error) {
      this.#log(`typescript: the editor did not tell its settings: ${(error as Error).message}`);
      return nothing;
    }
    this.#log("typescript: the editor takes its time to tell its settings; the defaults are used until then");
    asked.then(
      (values) => this.#onLateSettings(this.#named(values)),
      () => undefined,
    );
    return nothing;
  }

  #named(values: readonly unknown[]): object {
    const names = this.#sections.map((item) => String(memberAt(item, "section")));
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
  }

  #ask(method: string, params: unknown): void {
    this.#editor.request(method, params, new AbortController().signal).catch((error: unknown) => {
      this.#log(`typescript: ${method} failed in the editor: ${(error as Error).message}`);
    });
  }
}
