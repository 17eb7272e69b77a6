/** Asks the checker of TypeScript 6 and ours about one of the oracle's packages, in a process of its own. Prints a JSON line. */
import { askOurs } from "../oracle/ask-ours.ts";
import { installPackage } from "../oracle/install.ts";
import { openLanguageService } from "../oracle/language-service.ts";
import { oraclePackages, sampleSeed, sampleSize } from "../oracle/packages.ts";
import { offsetPlace, startPlace } from "../oracle/places.ts";
import { sampleSymbols } from "../oracle/sample.ts";
import { symbolsOf } from "../oracle/symbols.ts";
import { CheckerPlaces } from "./checker-places.ts";

const wanted = oraclePackages.find(({ name }) => name === process.argv[2]);
const installed = wanted === undefined ? { missing: "no such package" } : installPackage(wanted);
if ("missing" in installed) throw new Error(installed.missing);
const { folder } = installed;
const oracle = openLanguageService(folder);
const own = new Set(oracle.sources.map(({ fileName }) => fileName));
const places = new CheckerPlaces(oracle.program, (file) => own.has(file));
const symbols = sampleSymbols(symbolsOf(oracle), sampleSize, sampleSeed);
const ours = await askOurs(folder, symbols);
let found = 0;
const missing = symbols.flatMap(({ address, declarations }) => {
  const references = ours.get(address)?.answers.references;
  const names = declarations.map(({ name }) => name);
  const text = names[0]?.getText() ?? "";
  // What several declarations make together has the uses of all; a global augmentation has no uses.
  if (references === undefined || /#\d+$/.test(address) || text === "global") return [];
  const theirs = places.spelled(text, names);
  found += theirs.length;
  return theirs
    .filter(
      (node) =>
        ![node.getStart(), node.getStart() + 1].some((at) =>
          references.has(offsetPlace(folder, node.getSourceFile(), at)),
        ),
    )
    .map((node) => `${address} at ${startPlace(folder, node)}`);
});
process.stdout.write(`${JSON.stringify({ asked: symbols.length, found, missing })}\n`);
