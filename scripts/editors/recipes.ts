import { emacsRecipe } from "./emacs-recipe.ts";
import { shellQuote } from "./launcher.ts";
import type { Recipe } from "./recipe.ts";

/** Two versions of each editor, the linter and what walls programs in; the head of `scripts/editors.ts` says why they are Debian packages. */
export const recipes: readonly Recipe[] = [
  nvimRecipe("nvim-0.10", "trixie"),
  nvimRecipe("nvim-0.12", "sid"),
  emacsRecipe("30.1", "trixie"),
  emacsRecipe("30.2", "sid"),
  luacheckRecipe("trixie"),
  bubblewrapRecipe("trixie"),
];

function nvimRecipe(name: string, suite: string): Recipe {
  return {
    name,
    kind: "nvim",
    suite,
    packages: ["neovim", "patchelf"],
    revision: 1,
    programs: ["usr/bin/nvim"],
    // The runtime and the parsers are found relative to the executable.
    launchers: (home) => ({ [name]: `exec ${shellQuote(`${home}/usr/bin/nvim`)} "$@"\n` }),
  };
}

function luacheckRecipe(suite: string): Recipe {
  return {
    name: "luacheck",
    kind: "luacheck",
    suite,
    packages: ["lua-check", "lua-argparse", "lua-filesystem", "lua5.1", "patchelf"],
    revision: 1,
    programs: ["usr/bin/lua5.1"],
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

function bubblewrapRecipe(suite: string): Recipe {
  return {
    name: "bwrap",
    kind: "bwrap",
    suite,
    packages: ["bubblewrap", "patchelf"],
    revision: 1,
    programs: ["usr/bin/bwrap"],
    launchers: (home) => ({ bwrap: `exec ${shellQuote(`${home}/usr/bin/bwrap`)} "$@"\n` }),
  };
}
