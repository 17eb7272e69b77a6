import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Runs `body` while holding the lock file, so that two runs in one checkout do not prepare the same folder at once.
 * A lock whose owner has died is taken over.
 *
 * @template T
 * @param {string} path
 * @param {() => T} body
 * @returns {T}
 */
export function withLock(path, body) {
  mkdirSync(dirname(path), { recursive: true });
  let announced = false;
  while (!tryLock(path)) {
    if (!announced) process.stderr.write(`Another run is preparing ${dirname(path)}; waiting for it.\n`);
    announced = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  try {
    return body();
  } finally {
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
function tryLock(path) {
  // A link appears with its content already in place, so nobody ever reads a lock without an owner.
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    removeDeadLock(path);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @param {string} path */
function removeDeadLock(path) {
  const owner = ownerOf(path);
  if (owner === undefined || isAlive(owner)) return;
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // Another waiter may have replaced the dead lock between our look and our rename: give a living one back.
  const taken = ownerOf(aside);
  if (taken !== undefined && isAlive(taken)) linkSync(aside, path);
  rmSync(aside, { force: true });
}

/** @param {string} path */
function ownerOf(path) {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
