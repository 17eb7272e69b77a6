/** The tools by name: those that the model is told about, and those that the executor finds. */
import type { ModelToolSchema } from "../../model/model-port.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { ToolInfo } from "../../protocol/tool-shapes.ts";
import type { Tool } from "../tool.ts";
import { toolForWork } from "../names-of-others.ts";
import { problemWithTool, SAFETY_LEVELS } from "../tool-rules.ts";
import { given } from "../../base/given.ts";
import { nearestNames } from "../../base/spelling.ts";

const SHOWN_NAMES = 4;

export interface ToolFilter {
  readonly maxSafety?: SafetyLevel;
  readonly categories?: readonly string[];
}

export interface RegistryOptions {
  /** Without it models are told of the core alone. */
  readonly offersAll?: boolean;
  /** Settles when what holds programs here is known, on which the safety of those tools depends that run some. */
  readonly settled?: () => Promise<unknown>;
}

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();
  readonly #offersAll: boolean;
  readonly #settled: () => Promise<unknown>;

  constructor({ offersAll = false, settled = async () => undefined }: RegistryOptions = {}) {
    this.#offersAll = offersAll;
    this.#settled = settled;
  }

  /**
   * Resolves when each tool knows how dangerous it is here; to be awaited before the tools are told, or one is judged.
   * Never rejects: what could not be found out stays dangerous.
   */
  async settled(): Promise<void> {
    await this.#settled().catch(() => undefined);
  }

  /** Adds a tool; one of the same name is replaced. Throws when the tool breaks a rule of the registry. */
  register(tool: Tool): Tool {
    const problem = problemWithTool(tool);
    if (problem !== undefined)
      throw new Error(`Tool "${String((tool as Partial<Tool> | undefined)?.name)}" cannot be registered: ${problem}.`);
    this.#tools.set(tool.name, tool);
    return tool;
  }

  /** How many tools there are then. Registering the same ones again changes nothing. */
  registerAll(tools: readonly Tool[]): number {
    for (const tool of tools) this.register(tool);
    return this.#tools.size;
  }

  getTool(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** What an unknown name may have meant, for whoever calls it, or else which tools there are. */
  whatWasMeant(name: string): string {
    const work = this.#tools.get(toolForWork(name) ?? "");
    if (work !== undefined && work.unavailable() === undefined) return `${callOf(work)} does that here.`;
    const near = this.namesLike(name);
    if (near.length > 0) return `Did you mean ${near.join(" or ")}?`;
    const offered = [...this.#tools.values()].filter(
      (tool) => this.#isOffered(tool) && tool.unavailable() === undefined,
    );
    return `The tools: ${offered.map((tool) => tool.name).join(", ")}.`;
  }

  /** A few tools that may have been meant: spelt nearly so, else offered and with a word in common. */
  namesLike(name: string): string[] {
    const spelt = nearestNames(name, this.names(), SHOWN_NAMES);
    if (spelt.length > 0) return spelt;
    const words = wordsOf(name);
    const shared = (tool: Tool): number => wordsOf(tool.name).filter((word) => words.includes(word)).length;
    const offered = [...this.#tools.values()].filter((tool) => this.#isOffered(tool) && shared(tool) > 0);
    return offered
      .toSorted((a, b) => shared(b) - shared(a))
      .slice(0, SHOWN_NAMES)
      .map((tool) => tool.name);
  }

  /** Both filters must hold; `categories` holds when the tool has at least one of them. An empty list is no filter. */
  getTools(filter: ToolFilter = {}): Tool[] {
    const limit = SAFETY_LEVELS.indexOf(filter.maxSafety ?? "dangerous");
    const { categories = [] } = filter;
    return [...this.#tools.values()].filter(
      (tool) =>
        SAFETY_LEVELS.indexOf(tool.safety) <= limit &&
        (categories.length === 0 || categories.some((category) => tool.categories.includes(category))),
    );
  }

  listTools(filter: ToolFilter = {}): ToolInfo[] {
    return this.getTools(filter).map((tool) => {
      const reason = tool.unavailable();
      return {
        name: tool.name,
        description: tool.description,
        safety: tool.safety,
        categories: tool.categories,
        inputSchema: tool.inputSchema,
        available: reason === undefined,
        ...given({ unavailableReason: reason }),
        ...(this.#isOffered(tool) ? {} : { isOffered: false as const }),
      };
    });
  }

  toolsToSchema(filter: ToolFilter = {}): ModelToolSchema[] {
    return this.getTools(filter)
      .filter((tool) => this.#isOffered(tool) && tool.unavailable() === undefined)
      .map(({ name, description, offeredSchema: inputSchema }) => ({ name, description, inputSchema }));
  }

  #isOffered({ isOffered }: Tool): boolean {
    return isOffered || this.#offersAll;
  }
}

/** `getReplHistory` and `repl-history` have words too. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 100)
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2 && word !== "get");
}

const SHOWN_PARAMETERS = 5;

/** A tool with its parameters, those that may be left out with a question mark. */
function callOf({ name, offeredSchema }: Tool): string {
  const { properties = {}, required = [] } = offeredSchema as { properties?: object; required?: readonly string[] };
  const names = Object.keys(properties).toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  const shown = names.slice(0, SHOWN_PARAMETERS).map((each) => (required.includes(each) ? each : `${each}?`));
  const more = names.length > SHOWN_PARAMETERS ? [...shown, "…"] : shown;
  return `${name} {${more.join(", ")}}`;
}
