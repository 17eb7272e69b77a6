/** How the calls of each tool went since the server began: a hook of the executor. */
import type { Metrics, ToolMetrics } from "../../protocol/tool-shapes.ts";
import { quantile } from "../../base/quantile.ts";
import type { ToolHook } from "./tool-hook.ts";

/** The times and sizes of so many calls are kept. */
const KEPT = 1_000;

interface Counts {
  calls: number;
  failures: number;
  denials: number;
  readonly times: number[];
  readonly sizes: number[];
  totalSize: number;
}

export class ToolMetricsHook implements ToolHook {
  readonly #since = new Date().toISOString();
  readonly #tools = new Map<string, Counts>();

  readonly after: NonNullable<ToolHook["after"]> = (_call, tool, { content, metadata }) => {
    const counts = this.#of(tool.name);
    counts.calls += 1;
    counts.totalSize += content.length;
    keep(counts.times, metadata.executionTimeMs);
    keep(counts.sizes, content.length);
  };

  readonly error: NonNullable<ToolHook["error"]> = (_call, tool, _error, { metadata }) => {
    const counts = this.#of(tool.name);
    counts.calls += 1;
    counts.failures += 1;
    keep(counts.times, metadata.executionTimeMs);
  };

  readonly refused: NonNullable<ToolHook["refused"]> = (_call, tool, why) => {
    const counts = this.#of(tool.name);
    counts.calls += 1;
    if (why === "denied") counts.denials += 1;
    else counts.failures += 1;
  };

  /** The tools that were called most come first. */
  report(): Omit<Metrics, "model"> {
    const items = [...this.#tools].map(([tool, counts]) => metricsOf(tool, counts));
    items.sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
    return { since: this.#since, items, total: items.length };
  }

  #of(tool: string): Counts {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const counts = { calls: 0, failures: 0, denials: 0, times: [], sizes: [], totalSize: 0 };
    this.#tools.set(tool, counts);
    return counts;
  }
}

function keep(values: number[], value: number): void {
  values.push(value);
  if (values.length > KEPT) values.shift();
}

function metricsOf(tool: string, { calls, failures, denials, times, sizes, totalSize }: Counts): ToolMetrics {
  const sorted = times.toSorted((a, b) => a - b);
  const bySize = sizes.toSorted((a, b) => a - b);
  const timeMs = { count: sorted.length, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
  const answerSize = { median: quantile(bySize, 0.5), largest: bySize.at(-1) ?? 0, total: totalSize };
  return {
    tool,
    calls,
    failures,
    denials,
    ...(sorted.length === 0 ? {} : { timeMs }),
    ...(bySize.length === 0 ? {} : { answerSize }),
  };
}
