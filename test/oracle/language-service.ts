/** TypeScript 6's LanguageService over a project on disk: the oracle. */
import ts from "@typescript/typescript6";
import path from "node:path";
import { splitPlace, tokenAt, type Place } from "./places.ts";

export interface LanguageService {
  readonly service: ts.LanguageService;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly folder: string;
  /** The project's own sources. */
  readonly sources: readonly ts.SourceFile[];
}

const { sys } = ts;

export function openLanguageService(folder: string): LanguageService {
  const configFile = path.join(folder, "tsconfig.json");
  const { config } = ts.readConfigFile(configFile, (file) => sys.readFile(file)) as { config: unknown };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, sys, folder);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const text = sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
    fileExists: (file) => sys.fileExists(file),
    readFile: (file, encoding) => sys.readFile(file, encoding),
    readDirectory: (...args) => sys.readDirectory(...args),
    directoryExists: (directory) => sys.directoryExists(directory),
    getDirectories: (directory) => sys.getDirectories(directory),
    realpath: (file) => sys.realpath?.(file) ?? file,
  });
  const program = service.getProgram();
  if (program === undefined) throw new Error(`TypeScript 6 has no program for ${folder}`);
  const own = path.join(folder, "src") + path.sep;
  const sources = program.getSourceFiles().filter((source) => source.fileName.startsWith(own));
  return { service, program, checker: program.getTypeChecker(), folder, sources };
}

/** The token at a place of one of the program's files; undefined outside of them. */
export function nodeAt({ program, folder }: LanguageService, place: Place): ts.Node | undefined {
  const found = splitPlace(place);
  const source = found === undefined ? undefined : program.getSourceFile(path.resolve(folder, found.file));
  if (found === undefined || source === undefined) return undefined;
  return tokenAt(source, source.getPositionOfLineAndCharacter(found.line, found.character));
}
