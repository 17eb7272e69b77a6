// Makes a fresh clone ready: packages, a current Node, and the built server. Needs Node 20, npm and nothing else, and
// takes a moment when there is nothing to do. What is imported here, and nothing else in this folder, runs before the
// project's own Node is there: it stays JavaScript that Node 20 reads. Everything else is TypeScript.
import { join } from "node:path";
import { build, isBuilt } from "./bootstrap/build.mjs";
import { chooseNode, hasOwnNode, oldestNode, repairNode } from "./bootstrap/node-binary.mjs";
import { installPackages, packagesAreInstalled } from "./bootstrap/packages.mjs";
import { withLock } from "./lock.mjs";
import { root } from "./paths.mjs";

const lock = join(root, ".cache/bootstrap.lock");

/** Prepares the checkout and returns the Node to run it with. Throws an error whose message is meant for the user. */
export function bootstrap() {
  const node = prepareNode("run");
  prepareServer(node);
  return node;
}

/**
 * Installs the packages where needed and returns the path of a Node that is new enough; one comes with what the tests need.
 *
 * @param {import("./bootstrap/packages.mjs").Extent} extent
 */
export function prepareNode(extent) {
  const ready = packagesAreInstalled(root, extent) ? chooseNode(root) : undefined;
  if (ready !== undefined) return ready;
  return withLock(lock, () => {
    const wanted = hasOwnNode() ? extent : "test";
    if (!packagesAreInstalled(root, wanted)) installPackages(root, wanted);
    const node = chooseNode(root) ?? repairNode(root);
    if (node === undefined) throw new Error(missingNode());
    return node;
  });
}

/**
 * Builds the server where its sources are newer than what `dist/` holds. Throws an error meant for the user.
 *
 * @param {string} node the Node to build with
 */
export function prepareServer(node) {
  if (isBuilt(root)) return;
  withLock(lock, () => {
    if (!isBuilt(root)) build(root, node);
  });
}

function missingNode() {
  return [
    `This project needs Node ${oldestNode.join(".")} or newer; this is ${process.versions.node}.`,
    "The npm package `node`, which brings one, could not place its binary: its install script did not run.",
    "Let it run with `npm rebuild node --ignore-scripts=false`, or start with a newer Node.",
  ].join("\n");
}
