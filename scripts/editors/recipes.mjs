import { emacsRecipe } from "./emacs-recipe.mjs";
import { shellQuote } from "./launcher.mjs";

/**
 * How to make one program from Debian packages. `programs` are the executables to relocate; `finish` runs once the
 * folder stands at its final place; `launchers` maps a name in the launcher folder to a shell script.
 *
 * @typedef {object} Recipe
 * @property {string} name
 * @property {"nvim" | "emacs" | "luacheck"} kind
 * @property {string} suite
 * @property {string[]} packages
 * @property {number} revision to be raised when anything else about the recipe changes, so that it is made again
 * @property {(root: string) => string[]} programs
 * @property {(home: string) => void} [finish]
 * @property {(home: string) => Record<string, string>} launchers
 */

/** @type {Recipe[]} */
export const recipes = [
  nvimRecipe("nvim-0.10", "trixie"),
  nvimRecipe("nvim-0.12", "sid"),
  emacsRecipe("30.1", "trixie"),
  emacsRecipe("30.2", "sid"),
  luacheckRecipe("trixie"),
];

/** @returns {Recipe} */
function nvimRecipe(name, suite) {
  return {
    name,
    kind: "nvim",
    suite,
    packages: ["neovim", "patchelf"],
    revision: 1,
    programs: () => ["usr/bin/nvim"],
    // The runtime and the parsers are found relative to the executable.
    launchers: (home) => ({ [name]: `exec ${shellQuote(`${home}/usr/bin/nvim`)} "$@"\n` }),
  };
}

/** @returns {Recipe} */
function luacheckRecipe(suite) {
  return {
    name: "luacheck",
    kind: "luacheck",
    suite,
    packages: ["lua-check", "lua-argparse", "lua-filesystem", "lua5.1", "patchelf"],
    revision: 1,
    programs: () => ["usr/bin/lua5.1"],
    launchers: (home) => {
      const modules = `${home}/usr/share/lua/5.1`;
      return {
        luacheck: [
          `export LUA_PATH=${shellQuote(`${modules}/?.lua;${modules}/?/init.lua`)}`,
          `LUA_CPATH=$(echo ${shellQuote(`${home}/usr/lib`)}/*-linux-gnu*/lua/5.1)/?.so`,
          "export LUA_CPATH",
          `exec ${shellQuote(`${home}/usr/bin/lua5.1`)} ${shellQuote(`${home}/usr/bin/luacheck`)} "$@"`,
          "",
        ].join("\n"),
      };
    },
  };
}
