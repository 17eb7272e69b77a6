/** An MCP server as the person's settings name it, ready to be started. */
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { McpServerSetting } from "../../settings/settings-schema.ts";
import { given } from "../../base/given.ts";
import type { Variables } from "../../base/variables.ts";

/** How the server is reached: as a child process, or over HTTP. */
export type Road =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** What the settings name, and nothing else of the environment with secrets in it. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface PlannedServer {
  readonly name: string;
  readonly road: Road;
  readonly safety: SafetyLevel;
  /** By the server's own names of its tools. */
  readonly tools: Readonly<Record<string, SafetyLevel | "off">>;
  /** The time of one call. */
  readonly timeoutMs: number;
  /** What no text may hold that leaves the server. */
  readonly secrets: readonly string[];
}

/** The servers by their names, each with a plan or with the sentence why it cannot be started. */
export type PlannedServers = ReadonlyMap<string, PlannedServer | { readonly problem: string }>;

const DEFAULT_TIMEOUT_S = 60;
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;

/** In the order of their names: a Lua table has no order of its own, and a person's eyes want the same one each time. */
export function plannedServers(
  settings: Readonly<Record<string, McpServerSetting>>,
  variables: Variables,
): PlannedServers {
  const named = Object.entries(settings).filter(([, { disabled }]) => disabled !== true);
  named.sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(named.map(([name, setting]) => [name, planned(name, setting, variables)]));
}

export function secretsOf(servers: PlannedServers): string[] {
  return [...servers.values()].flatMap((server) => ("problem" in server ? [] : server.secrets));
}

function planned(
  name: string,
  setting: McpServerSetting,
  variables: Variables,
): PlannedServer | { readonly problem: string } {
  const { command, url, cwd } = setting;
  if ((command === undefined) === (url === undefined)) {
    return { problem: 'it needs either a "command", for a program, or a "url", for a server that runs elsewhere' };
  }
  const texts = new Texts(variables);
  const road: Road =
    command === undefined
      ? { kind: "http", url: texts.filled(url ?? ""), headers: texts.filledAll(setting.headers) }
      : {
          kind: "stdio",
          command,
          args: (setting.args ?? []).map((each) => texts.filled(each)),
          env: texts.filledAll(setting.env),
          ...given({ cwd }),
        };
  if (texts.missing.length > 0) {
    return { problem: `the settings name ${texts.missing.join(", ")}, which the environment of Agent-Q does not have` };
  }
  if (road.kind === "http" && !/^https?:$/.test(protocolOf(road.url))) {
    return { problem: "its url does not begin with http:// or https://" };
  }
  return {
    name,
    road,
    safety: setting.safety ?? "dangerous",
    tools: (setting.tools ?? {}) as PlannedServer["tools"],
    timeoutMs: (setting.timeoutSeconds ?? DEFAULT_TIMEOUT_S) * 1_000,
    secrets: [...texts.secrets],
  };
}

function protocolOf(url: string): string {
  return URL.parse(url)?.protocol ?? "";
}

/** Fills `${NAME}` with what the environment has, and notes what is secret. */
class Texts {
  readonly missing: string[] = [];
  readonly secrets = new Set<string>();
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  filledAll(texts: Readonly<Record<string, unknown>> = {}): Record<string, string> {
    return Object.fromEntries(
      Object.entries(texts).map(([name, text]) => {
        const value = this.filled(String(text));
        // The second word of `Bearer 1234` is a secret by itself too.
        if (SECRET_NAME.test(name)) for (const each of [value, value.split(" ").at(-1) ?? ""]) this.secrets.add(each);
        return [name, value];
      }),
    );
  }

  filled(text: string): string {
    return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (shown: string, name: string) => {
      const value = this.#variables[name];
      if (value === undefined) this.missing.push(shown);
      else if (value !== "" && !/^(?:HOME|USER|PWD|PATH|TMPDIR)$/.test(name)) this.secrets.add(value);
      return value ?? "";
    });
  }
}
