/** `npm run bench`: the server beside its peers, in one run, as one table. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { measureAfterEdit } from "./measures/after-edit.ts";
import { measureBuiltPackages } from "./measures/built-packages.ts";
import { measureCheckSubset } from "./measures/check-subset.ts";
import { measureCommands } from "./measures/commands.ts";
import { measureDiagnostics } from "./measures/diagnostics.ts";
import { measureEditorChat } from "./measures/editor-chat.ts";
import { measureEditorReview } from "./measures/editor-review.ts";
import { measureEmacsLoad } from "./measures/emacs-load.ts";
import { measureEmacsStreaming } from "./measures/emacs-streaming.ts";
import { measureGrowth } from "./measures/growth.ts";
import { measureHierarchy } from "./measures/hierarchy.ts";
import { measureImageHotLoop } from "./measures/image-hot-loop.ts";
import { measureImageInterrupts } from "./measures/image-interrupts.ts";
import { measureImageLoading } from "./measures/image-loading.ts";
import { measureImageMemory } from "./measures/image-memory.ts";
import { measureImageRoundTrip } from "./measures/image-round-trip.ts";
import { measureImageStart } from "./measures/image-start.ts";
import { measureInitialize } from "./measures/initialize.ts";
import { measureLargeProposals } from "./measures/large-proposals.ts";
import { measureLongSession } from "./measures/long-session.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureRelay } from "./measures/relay.ts";
import { measureRepl } from "./measures/repl.ts";
import { measureRunTests } from "./measures/run-tests.ts";
import { measureRunningProgram } from "./measures/running-program.ts";
import { measureSearchText } from "./measures/search-text.ts";
import { measureStreaming } from "./measures/streaming.ts";
import { tokenEconomy } from "./measures/token-economy.ts";
import { measureToolOverhead } from "./measures/tool-overhead.ts";
import { measureToolRound } from "./measures/tool-round.ts";
import { measureWarmAnswers } from "./measures/warm-answers.ts";
import { measureWhoCalls } from "./measures/who-calls.ts";
import { plot } from "./support/curves.ts";
import { writeDocs } from "./support/docs.ts";
import { installHugeProject, installLargeProject, installPeers, repository } from "./support/install.ts";
import { machineFacts } from "./support/machine.ts";
import type { MeasureReport } from "./support/report.ts";
import { ownProgram } from "./support/servers.ts";
import type { Setting } from "./support/setting.ts";
import { renderReport } from "./support/table.ts";

const measures: Readonly<Record<string, (setting: Setting) => Promise<MeasureReport>>> = {
  initialize: measureInitialize,
  "who-calls": measureWhoCalls,
  "warm-answers": measureWarmAnswers,
  "built-packages": measureBuiltPackages,
  "after-edit": measureAfterEdit,
  relay: measureRelay,
  hierarchy: measureHierarchy,
  diagnostics: measureDiagnostics,
  "tool-overhead": measureToolOverhead,
  "tool-round": measureToolRound,
  "long-session": measureLongSession,
  streaming: measureStreaming,
  "search-text": measureSearchText,
  commands: measureCommands,
  "run-tests": measureRunTests,
  "check-subset": measureCheckSubset,
  "large-proposals": measureLargeProposals,
  "editor-chat": measureEditorChat,
  "editor-review": measureEditorReview,
  "emacs-load": measureEmacsLoad,
  "emacs-streaming": measureEmacsStreaming,
  memory: measureMemory,
  growth: measureGrowth,
  repl: measureRepl,
  "image-round-trip": measureImageRoundTrip,
  "image-start": measureImageStart,
  "image-loading": measureImageLoading,
  "image-hot-loop": measureImageHotLoop,
  "image-memory": measureImageMemory,
  "image-interrupts": measureImageInterrupts,
  "running-program": measureRunningProgram,
};

const PICTURE = "docs/pictures/growth.svg";

const HELP = `npm run bench [-- options]

  --only NAME       one measure; may be given again: ${Object.keys(measures).join(", ")};
                    or "tokens" alone: the table of docs/token-economy.md, which is no measure of time
  --rounds FACTOR   times the usual number of rounds (default 1)
  --server FILE     another build's bin/agentq.js instead of this checkout's
  --without-peers   leave out the peers, which take most of the time
  --json FILE       write the figures with all their rows there too
  --plot            draw the curves of the measure growth into ${PICTURE}
  --write-docs      put the table into docs/benchmarks.md (of this checkout's build and all measures)
`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      rounds: { type: "string", default: "1" },
      server: { type: "string", default: ownProgram },
      "without-peers": { type: "boolean", default: false },
      json: { type: "string" },
      plot: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const isTokens = values.only?.length === 1 && values.only[0] === "tokens";
  const names = isTokens ? [] : (values.only ?? Object.keys(measures));
  const unknown = names.filter((name) => measures[name] === undefined);
  const factor = Number(values.rounds);
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values["write-docs"] && ((values.only !== undefined && !isTokens) || values.server !== ownProgram)) {
    console.error("--write-docs goes with all measures of this checkout's own build: leave out --only and --server.");
    process.exitCode = 2;
    return;
  }
  if (unknown.length > 0 || !(factor > 0)) {
    console.error(
      unknown.length > 0 ? `There is no measure ${unknown.join(", ")}.` : "--rounds needs a number above 0.",
    );
    console.error(HELP);
    process.exitCode = 2;
    return;
  }
  const setting: Setting = {
    program: values.server,
    // Installed for the measures that want them; what is installed already costs nothing to ask for.
    get peers() {
      return values["without-peers"] ? { missing: "left out by --without-peers" } : installPeers();
    },
    get large() {
      return installLargeProject();
    },
    huge: installHugeProject,
    rounds: (usual) => Math.max(1, Math.round(usual * factor)),
  };
  if (isTokens) {
    console.log(`\n${await tokenEconomy(setting, values["write-docs"])}`);
    return;
  }
  const machine = machineFacts();
  const { json } = values;
  const reports = await runAll(names, setting, (finished) => {
    const [latest] = finished.slice(-1);
    if (latest !== undefined && names.length > 1) console.error(`\n${renderReport(machine, [latest])}\n`);
    // What was measured is kept even when the rest never ends.
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, reports: finished }, undefined, 2)}\n`);
  });
  const table = renderReport(machine, reports);
  console.log(`\n${table}`);
  if (values["write-docs"]) writeDocs(table, process.argv.slice(2));
  const curves = reports.flatMap((report) => report.curves ?? []);
  if (values.plot && curves.length > 0) writeFileSync(path.join(repository, PICTURE), plot(curves));
}

/** One measure that fails says so in the table and lets the others run. */
async function runAll(
  names: readonly string[],
  setting: Setting,
  finished: (reports: readonly MeasureReport[]) => void,
): Promise<MeasureReport[]> {
  const reports: MeasureReport[] = [];
  for (const name of names) {
    console.error(`Measuring ${name} …`);
    const started = performance.now();
    try {
      const report = await measures[name]?.(setting);
      if (report !== undefined) reports.push(report);
    } catch (error) {
      process.exitCode = 1;
      const reason = error instanceof Error ? error.message : String(error);
      console.error(error);
      reports.push({ rows: [{ measure: name, subject: "", skipped: `FAILED: ${reason}` }], notes: [] });
    }
    console.error(`Measured ${name} in ${Math.round((performance.now() - started) / 1_000)} s`);
    finished(reports);
  }
  return reports;
}
