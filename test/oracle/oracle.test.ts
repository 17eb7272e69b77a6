/**
 * The engine beside TypeScript 6's LanguageService on real packages. TypeScript 6 answers from its recording; TypeScript 6
 * itself is asked where the recording does not fit. `AGENTQ_TESTS=all` asks TypeScript 6 about every package; without
 * that only the smallest package is compared. Each package is compared in a process of its own, one after the other, so that
 * the memory of two large programs is never needed at once.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { PackageComparison } from "./recording.ts";
import { differenceRules } from "./differences.ts";
import { runsAll } from "../support/extent.ts";
import { isPublishedSample, oraclePackages, symbolsPerPackage } from "./packages.ts";
import { recordingFile, recordingText } from "./recording.ts";
import { describeDifference, figuresOf, oraclePage, precision, recall } from "./report.ts";

const script = fileURLToPath(new URL("compare-package.ts", import.meta.url));
const LONGEST_MS = isPublishedSample ? 600_000 : 7_200_000;
const packages = runsAll ? oraclePackages : oraclePackages.slice(0, 1);
const compared: PackageComparison[] = [];

describe("the oracle", () => {
  for (const { name, version } of packages) {
    describe(`${name} ${version}`, () => {
      it(
        "is compared with TypeScript 6 without a question that fails",
        async () => {
          const comparison = await compare(name);
          compared.push(comparison);
          console.log(summary(comparison));
          expect(comparison.problems).toEqual([]);
          const addresses = comparison.comparisons.filter(({ aspect }) => aspect === "address");
          expect(addresses.length).toBeGreaterThanOrEqual(isPublishedSample ? symbolsPerPackage : 1);
        },
        LONGEST_MS,
      );

      it("gives the answers of TypeScript 6, but for the differences that a rule explains", () => {
        const { comparisons } = comparisonOf(name);
        const unexplained = comparisons.flatMap((each) =>
          each.differences
            .filter(({ rule }) => rule === undefined)
            .map((difference) => describeDifference(each, difference)),
        );
        expect(unexplained).toEqual([]);
      });

      it("leaves out no reference of TypeScript 6 that is not a declaration map's", () => {
        const references = comparisonOf(name).comparisons.filter(({ aspect }) => aspect === "references");
        const missing = references.flatMap((each) => each.differences.filter(({ side }) => side === "missing"));
        expect(missing.filter(({ rule }) => rule !== MAPPED)).toEqual([]);
      });
    });
  }

  it.runIf(isPublishedSample).each(packages)(
    "records what TypeScript 6 says of $name (update with AGENTQ_TESTS=all and vitest -u)",
    async ({ name }) => {
      await expect(recordingText(comparisonOf(name))).toMatchFileSnapshot(recordingFile({ name }));
    },
  );

  if (isPublishedSample && runsAll) {
    it("publishes its figures (docs/oracle.md; update with AGENTQ_TESTS=all and vitest -u)", async () => {
      expect(compared.length).toBe(oraclePackages.length);
      await expect(oraclePage(compared)).toMatchFileSnapshot("../../docs/oracle.md");
    });

    it("has no rule that explains nothing", () => {
      const differences = compared.flatMap(({ comparisons }) => comparisons).flatMap((each) => each.differences);
      const used = new Set(differences.map(({ rule }) => rule));
      expect(differenceRules.map(({ id }) => id).filter((id) => !used.has(id))).toEqual([]);
    });
  }

  it("is no dependency of the server", () => {
    const { dependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies)).not.toContain("@typescript/typescript6");
  });
});

const MAPPED = "declaration map, declaration side";

function comparisonOf(name: string): PackageComparison {
  const found = compared.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} was not compared`);
  return found;
}

async function compare(name: string): Promise<PackageComparison> {
  const child = spawn(process.execPath, ["--max-old-space-size=6144", script, name], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${name} could not be compared: ${errors.trim()}`);
  return JSON.parse(output) as PackageComparison;
}

function summary({ name, version, comparisons, seconds }: PackageComparison): string {
  const lines = [...Map.groupBy(comparisons, ({ aspect }) => aspect)].map(([aspect, group]) => {
    const figures = figuresOf(group);
    const { symbols, theirs, ours, explained, unexplained } = figures;
    const counts = `${symbols} symbols, ${theirs} of TypeScript 6, ${ours} of ours`;
    const rest = `${explained} differences explained, ${unexplained} not`;
    return `  ${aspect}: recall ${recall(figures)}, precision ${precision(figures)} (${counts}; ${rest})`;
  });
  const asked = seconds.theirs === undefined ? "recorded" : `${seconds.theirs.toFixed(1)} s`;
  const took = `ours ${seconds.ours.toFixed(1)} s, TypeScript 6 ${asked}`;
  return [`${name} ${version} (${took})`, ...lines].join("\n");
}
