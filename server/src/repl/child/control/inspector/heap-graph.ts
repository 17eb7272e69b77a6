/**
 * A heap snapshot as a graph of what holds what. The format is that of `.heapsnapshot` files, whose head names its own
 * fields: V8 adds to them.
 */

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly locations: readonly number[];
  readonly strings: readonly string[];
}

export interface HeapNode {
  readonly node: number;
  /** `closure`, `object`, `array`, … */
  readonly type: string;
  readonly name: string;
}

/** That `from` holds something. */
export interface HeapEdge {
  /** `property`, `context` for a variable, `element`, `internal`, … */
  readonly type: string;
  readonly name: string;
  readonly from: HeapNode;
}

/** Where a function stands, or the one that made an object. Numbered from 0. */
export interface HeapPlace {
  readonly scriptId: string;
  readonly line: number;
  readonly column: number;
}

export interface HeapGraph {
  /** By the id that the inspector gives an object. */
  readonly nodeOf: (id: number) => number | undefined;
  readonly placeOf: (node: number) => HeapPlace | undefined;
  /** What a node holds under that name. */
  readonly held: (node: number, name: string) => HeapNode | undefined;
  /** The ways from the roots, none of them through one of the targets, nor by anything that does not keep it alive. */
  readonly reach: (targets: ReadonlySet<number>) => HeapReach;
}

export interface HeapReach {
  /** Who holds this target. */
  readonly holders: (target: number) => HeapEdge[];
  /** How a shortest way from the roots comes to that node; undefined at the root. */
  readonly up: (node: number) => HeapEdge | undefined;
}

const ROOT = 0;
const LOCATION_FIELDS = 4;
/** The value of a WeakMap's entry is held by its key: that its table holds it too keeps nothing alive. */
const OF_A_WEAK_TABLE = / \/ part of key /;

export function readHeap(text: string): HeapGraph {
  const { nodes, edges, locations, strings, snapshot } = JSON.parse(text) as Snapshot;
  const { meta } = snapshot;
  const [nodeTypes] = meta.node_types;
  const [edgeTypes] = meta.edge_types;
  const nodeSize = meta.node_fields.length;
  const edgeSize = meta.edge_fields.length;
  const at = (fields: readonly string[], name: string): number => fields.indexOf(name);
  const [nodeType, nodeName, nodeId] = ["type", "name", "id"].map((name) => at(meta.node_fields, name)) as Triple;
  const [edgeType, edgeName, edgeTo] = ["type", "name_or_index", "to_node"].map((name) =>
    at(meta.edge_fields, name),
  ) as Triple;
  const nodeEdges = at(meta.node_fields, "edge_count");
  const count = nodes.length / nodeSize;
  const weak = edgeTypes.indexOf("weak");
  const numbered = new Set(["element", "hidden"].map((type) => edgeTypes.indexOf(type)));
  const array = nodeTypes.indexOf("array");
  const number = (list: readonly number[], index: number): number => list[index] as number;

  /** The first edge of each node, and one more. */
  const first = new Uint32Array(count + 1);
  for (let node = 0; node < count; node++) {
    first[node + 1] = (first[node] as number) + number(nodes, node * nodeSize + nodeEdges);
  }
  const end = (node: number): number => first[node + 1] as number;
  const toOf = (edge: number): number => number(edges, edge * edgeSize + edgeTo) / nodeSize;
  const typeOf = (edge: number): number => number(edges, edge * edgeSize + edgeType);
  const nameOf = (edge: number): string => {
    const name = number(edges, edge * edgeSize + edgeName);
    return numbered.has(typeOf(edge)) ? String(name) : (strings[name] as string);
  };
  const nodeAt = (node: number): HeapNode => ({
    node,
    type: nodeTypes[number(nodes, node * nodeSize + nodeType)] as string,
    name: strings[number(nodes, node * nodeSize + nodeName)] as string,
  });
  const edgeAt = (edge: number, from: number): HeapEdge => ({
    type: edgeTypes[typeOf(edge)] as string,
    name: nameOf(edge),
    from: nodeAt(from),
  });
  const keeps = (edge: number, from: number): boolean => {
    if (typeOf(edge) === weak) return false;
    return number(nodes, from * nodeSize + nodeType) !== array || !OF_A_WEAK_TABLE.test(nameOf(edge));
  };

  return {
    nodeOf: (id) => {
      for (let node = 0; node < count; node++) if (nodes[node * nodeSize + nodeId] === id) return node;
      return undefined;
    },
    placeOf: (node) => {
      for (let index = 0; index < locations.length; index += LOCATION_FIELDS) {
        if (number(locations, index) !== node * nodeSize) continue;
        const [scriptId, line, column] = locations.slice(index + 1, index + LOCATION_FIELDS) as Triple;
        return { scriptId: String(scriptId), line, column };
      }
      return undefined;
    },
    held: (node, name) => {
      for (let edge = first[node] as number; edge < end(node); edge++) {
        if (nameOf(edge) === name) return nodeAt(toOf(edge));
      }
      return undefined;
    },
    reach: (targets) => {
      const NOWHERE = -1;
      const parent = new Int32Array(count).fill(NOWHERE);
      const via = new Uint32Array(count);
      const holding = new Map([...targets].map((target): [number, HeapEdge[]] => [target, []]));
      const queue = new Uint32Array(count);
      let length = 1;
      parent[ROOT] = ROOT;
      for (let next = 0; next < length; next++) {
        const node = queue[next] as number;
        for (let edge = first[node] as number; edge < end(node); edge++) {
          const to = toOf(edge);
          const list = holding.get(to);
          if (list === undefined && parent[to] !== NOWHERE) continue;
          if (!keeps(edge, node)) continue;
          if (list !== undefined) {
            list.push(edgeAt(edge, node));
            continue;
          }
          parent[to] = node;
          via[to] = edge;
          queue[length++] = to;
        }
      }
      return {
        holders: (target) => holding.get(target) ?? [],
        up: (node) => (node === ROOT ? undefined : edgeAt(via[node] as number, parent[node] as number)),
      };
    },
  };
}

type Triple = [number, number, number];
