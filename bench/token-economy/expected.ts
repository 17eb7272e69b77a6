/** Establishes the answers with TypeScript 6 and writes them to `expected.json`: `node bench/token-economy/expected.ts`. */
import ts from "@typescript/typescript6";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { installTokenProjects } from "../support/install.ts";
import { questions, type Fact, type Question } from "./questions.ts";

interface Asked {
  readonly folder: string;
  readonly service: ts.LanguageService;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
}

const installed = installTokenProjects();
if ("missing" in installed) throw new Error(installed.missing);
const projects = { viem: open(installed.value.viem), rxjs: open(installed.value.rxjs) };
const answers: Record<string, Fact[]> = {};
for (const question of questions) {
  const facts = factsOf(projects[question.project], question).filter((fact) => !fact.includes(""));
  if (facts.length === 0) throw new Error(`TypeScript 6 has no answer to ${question.id}`);
  answers[question.id] = [...new Map(facts.map((fact) => [fact.join("\n"), fact])).values()].toSorted();
}
writeFileSync(new URL("expected.json", import.meta.url), `${JSON.stringify(answers, undefined, 1)}\n`);

function open(folder: string): Asked {
  const { config } = ts.readConfigFile(path.join(folder, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
  });
  const program = service.getProgram();
  if (program === undefined) throw new Error(`TypeScript 6 has no program for ${folder}`);
  return { folder, service, program, checker: program.getTypeChecker() };
}

function factsOf(asked: Asked, question: Question): Fact[] {
  switch (question.kind) {
    case "callers":
      return callers(asked, nameOf(asked, question));
    case "references":
      return uses(asked, nameOf(asked, question));
    case "members":
      return asked.checker
        .getPropertiesOfType(typeOf(asked, question))
        .filter((symbol) => /^[\w$]+$/.test(symbol.name))
        .map((symbol) => [symbol.name]);
    case "subclasses":
      return subclasses(asked, typeOf(asked, question));
    case "implementations":
      return implementations(asked, nameOf(asked, question));
    case "signature":
      return signature(asked, nameOf(asked, question));
    case "exports":
      return exportsOf(asked, question);
    case "names":
      return named(asked, question.name);
    default:
      return question.kind satisfies never;
  }
}

function callers({ service, folder }: Asked, name: ts.Node): Fact[] {
  const prepared = service.prepareCallHierarchy(...at(name));
  const items = prepared === undefined ? [] : Array.isArray(prepared) ? prepared : [prepared];
  return items.flatMap(({ file, selectionSpan }) =>
    service
      .provideCallHierarchyIncomingCalls(file, selectionSpan.start)
      .filter(({ from }) => /^[\w$]+$/.test(from.name) && from.file.startsWith(path.join(folder, "src")))
      .map(({ from }) => [path.relative(folder, from.file), from.name]),
  );
}

/** Code that names the symbol, imports too; not its declarations and overrides, and not documentation. */
function uses(asked: Asked, name: ts.Node): Fact[] {
  const found = (asked.service.findReferences(...at(name)) ?? []).flatMap(({ references }) => references);
  return found.flatMap(({ fileName, textSpan }): Fact[] => {
    const source = asked.program.getSourceFile(fileName);
    const token = source === undefined ? undefined : tokenAt(source, textSpan.start);
    if (token === undefined || token.getStart() !== textSpan.start || isDeclared(token)) return [];
    return [placeOf(asked, fileName, textSpan.start)];
  });
}

function isDeclared(name: ts.Node): boolean {
  const { parent } = name;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent)) return false;
  return (
    (parent as { name?: ts.Node }).name === name && !ts.isPropertyAccessExpression(parent) && !ts.isJsxAttribute(parent)
  );
}

function subclasses({ program, checker, folder }: Asked, base: ts.Type): Fact[] {
  const found: Fact[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node) && node.name !== undefined) {
      const type = checker.getTypeAtLocation(node);
      if (type.symbol !== base.symbol && derives(checker, type, base)) {
        found.push([path.relative(folder, node.getSourceFile().fileName), node.name.text]);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const source of ownSources(program, folder)) visit(source);
  return found;
}

function derives(checker: ts.TypeChecker, type: ts.Type, base: ts.Type): boolean {
  const bases = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
  return bases.some((each) => each.symbol === base.symbol || derives(checker, targetOf(each), base));
}

function targetOf(type: ts.Type): ts.Type {
  return (type as Partial<ts.TypeReference>).target ?? type;
}

/** The classes among what TypeScript 6 calls implementations: an object literal has no name to tell. */
function implementations({ service, program, folder }: Asked, name: ts.Node): Fact[] {
  return (service.getImplementationAtPosition(...at(name)) ?? []).flatMap(({ fileName, textSpan }): Fact[] => {
    const source = program.getSourceFile(fileName);
    const found = source === undefined ? undefined : tokenAt(source, textSpan.start);
    if (found === undefined || !ts.isClassLike(found.parent) || found.parent.name !== found) return [];
    return [[path.relative(folder, fileName), found.getText()]];
  });
}

/** The facts of every overload: its type parameters, parameters and the name of its return type. */
function signature({ checker }: Asked, name: ts.Node): Fact[] {
  const type = checker.getTypeAtLocation(name);
  return type
    .getCallSignatures()
    .flatMap((each) => [
      ...(each.typeParameters ?? []).map((parameter): Fact => [parameter.symbol.name]),
      ...each.parameters.map((parameter): Fact => [parameter.name]),
      [/^\w+/.exec(checker.typeToString(each.getReturnType()))?.[0] ?? ""],
    ]);
}

function exportsOf({ program, checker, folder }: Asked, { file = "" }: Question): Fact[] {
  const source = program.getSourceFile(path.join(folder, file));
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  return module === undefined ? [] : checker.getExportsOfModule(module).map((symbol) => [symbol.name]);
}

function named(asked: Asked, part: string): Fact[] {
  return asked.service
    .getNavigateToItems(part, undefined, undefined, true)
    .filter(({ name, kind }) => name.toLowerCase().includes(part.toLowerCase()) && kind !== ts.ScriptElementKind.alias)
    .filter(({ fileName }) => fileName.startsWith(path.join(asked.folder, "src")))
    .map(({ fileName, name }) => [path.relative(asked.folder, fileName), name]);
}

function typeOf(asked: Asked, question: Question): ts.Type {
  const symbol = asked.checker.getSymbolAtLocation(nameOf(asked, question));
  if (symbol === undefined) throw new Error(`no symbol for ${question.id}`);
  return asked.checker.getDeclaredTypeOfSymbol(symbol);
}

function nameOf({ program, folder }: Asked, { file = "", name }: Question): ts.Node {
  const source = program.getSourceFile(path.join(folder, file));
  let scope: ts.Node | undefined = source;
  for (const part of name.split(".")) scope = scope === undefined ? undefined : declarationIn(scope, part);
  const found = (scope as { name?: ts.Node } | undefined)?.name;
  if (found === undefined) throw new Error(`${file} does not declare ${name}`);
  return found;
}

function declarationIn(scope: ts.Node, name: string): ts.Node | undefined {
  return ts.forEachChild(scope, (child): ts.Node | undefined => {
    const own = (child as { name?: ts.Node }).name;
    if (own !== undefined && ts.isIdentifier(own) && own.text === name && !ts.isParameter(child)) return child;
    return ts.isVariableStatement(child) || ts.isVariableDeclarationList(child)
      ? declarationIn(child, name)
      : undefined;
  });
}

function at(name: ts.Node): [string, number] {
  return [name.getSourceFile().fileName, name.getStart()];
}

function placeOf({ program, folder }: Asked, file: string, offset: number): Fact {
  const line = program.getSourceFile(file)?.getLineAndCharacterOfPosition(offset).line ?? 0;
  return [`${path.relative(folder, file)}:${line + 1}`];
}

function tokenAt(source: ts.SourceFile, offset: number): ts.Node {
  const down = (node: ts.Node): ts.Node =>
    ts.forEachChild(node, (child) => (child.getStart() <= offset && offset < child.end ? down(child) : undefined)) ??
    node;
  return down(source);
}

function ownSources(program: ts.Program, folder: string): ts.SourceFile[] {
  return program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(path.join(folder, "src") + path.sep));
}
