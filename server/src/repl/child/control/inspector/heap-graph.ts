/**
 * A heap snapshot as a graph of what holds what. The format is that of `.heapsnapshot` files. The head of a file names the
 * fields of a node and of an edge, to which V8 adds some now and then.
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

/** One way in which `from` holds something. */
export interface HeapEdge {
  /** `property`, `context` for a variable, `element`, `internal`, … */
  readonly type: string;
  readonly name: string;
  readonly from: HeapNode;
}

/** Where a function is written, or the function that made an object. Numbered from 0. */
export interface HeapPlace {
  readonly scriptId: string;
  readonly line: number;
  readonly column: number;
}

export interface HeapReach {
  /** Who holds this target. */
  readonly holders: (target: number) => HeapEdge[];
  /** How a shortest way from the roots comes to that node; undefined at the root. */
  readonly up: (node: number) => HeapEdge | undefined;
}

const ROOT = 0;
const NOWHERE = -1;
const LOCATION_FIELDS = 4;
/** The key of a WeakMap's entry keeps the value alive; the table, which holds the value too, does not. */
const OF_A_WEAK_TABLE = / \/ part of key /;

export function readHeap(text: string): HeapGraph {
  return new HeapGraph(JSON.parse(text) as Snapshot);
}

export class HeapGraph {
  readonly #snapshot: Snapshot;
  readonly #layout: Layout;
  readonly #count: number;
  /** The first edge of each node, and one more. */
  readonly #first: Uint32Array;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#layout = layoutOf(snapshot);
    const { nodeSize, nodeEdges } = this.#layout;
    this.#count = snapshot.nodes.length / nodeSize;
    this.#first = new Uint32Array(this.#count + 1);
    for (let node = 0; node < this.#count; node++) {
      this.#first[node + 1] = this.#from(node) + (snapshot.nodes[node * nodeSize + nodeEdges] as number);
    }
  }

  /** By the id that the inspector gives an object. */
  nodeOf(id: number): number | undefined {
    const { nodes } = this.#snapshot;
    const { nodeSize, nodeId } = this.#layout;
    for (let node = 0; node < this.#count; node++) if (nodes[node * nodeSize + nodeId] === id) return node;
    return undefined;
  }

  placeOf(node: number): HeapPlace | undefined {
    const { locations } = this.#snapshot;
    for (let index = 0; index < locations.length; index += LOCATION_FIELDS) {
      if (locations[index] !== node * this.#layout.nodeSize) continue;
      const [scriptId, line, column] = locations.slice(index + 1, index + LOCATION_FIELDS) as Triple;
      return { scriptId: String(scriptId), line, column };
    }
    return undefined;
  }

  /** What a node holds under that name. */
  held(node: number, name: string): HeapNode | undefined {
    for (let edge = this.#from(node); edge < this.#from(node + 1); edge++) {
      if (this.#nameOf(edge) === name) return this.#nodeAt(this.#toOf(edge));
    }
    return undefined;
  }

  /** The ways from the roots, none of them through one of the targets, nor by anything that does not keep it alive. */
  reach(targets: ReadonlySet<number>): HeapReach {
    const parent = new Int32Array(this.#count).fill(NOWHERE);
    const via = new Uint32Array(this.#count);
    const holding = new Map([...targets].map((target): [number, HeapEdge[]] => [target, []]));
    const queue = new Uint32Array(this.#count);
    let length = 1;
    parent[ROOT] = ROOT;
    for (let next = 0; next < length; next++) {
      const node = queue[next] as number;
      for (let edge = this.#from(node); edge < this.#from(node + 1); edge++) {
        const to = this.#toOf(edge);
        const list = holding.get(to);
        if (list === undefined && parent[to] !== NOWHERE) continue;
        if (!this.#keeps(edge, node)) continue;
        if (list !== undefined) {
          list.push(this.#edgeAt(edge, node));
          continue;
        }
        parent[to] = node;
        via[to] = edge;
        queue[length++] = to;
      }
    }
    return {
      holders: (target) => holding.get(target) ?? [],
      up: (node) => (node === ROOT ? undefined : this.#edgeAt(via[node] as number, parent[node] as number)),
    };
  }

  #from(node: number): number {
    return this.#first[node] as number;
  }

  #toOf(edge: number): number {
    const { edgeSize, edgeTo, nodeSize } = this.#layout;
    return (this.#snapshot.edges[edge * edgeSize + edgeTo] as number) / nodeSize;
  }

  #typeOf(edge: number): number {
    const { edgeSize, edgeType } = this.#layout;
    return this.#snapshot.edges[edge * edgeSize + edgeType] as number;
  }

  #nameOf(edge: number): string {
    const { edgeSize, edgeName, numbered } = this.#layout;
    const name = this.#snapshot.edges[edge * edgeSize + edgeName] as number;
    return numbered.has(this.#typeOf(edge)) ? String(name) : (this.#snapshot.strings[name] as string);
  }

  #nodeAt(node: number): HeapNode {
    const { nodes, strings } = this.#snapshot;
    const { nodeSize, nodeName, nodeTypes } = this.#layout;
    return {
      node,
      type: nodeTypes[this.#nodeType(node)] as string,
      name: strings[nodes[node * nodeSize + nodeName] as number] as string,
    };
  }

  #nodeType(node: number): number {
    const { nodeSize, nodeType } = this.#layout;
    return this.#snapshot.nodes[node * nodeSize + nodeType] as number;
  }

  #edgeAt(edge: number, from: number): HeapEdge {
    const type = this.#layout.edgeTypes[this.#typeOf(edge)] as string;
    return { type, name: this.#nameOf(edge), from: this.#nodeAt(from) };
  }

  #keeps(edge: number, from: number): boolean {
    if (this.#typeOf(edge) === this.#layout.weak) return false;
    return this.#nodeType(from) !== this.#layout.array || !OF_A_WEAK_TABLE.test(this.#nameOf(edge));
  }
}

/** Where the fields of a node and of an edge stand, and what the numbers of some types are. */
function layoutOf({ snapshot: { meta } }: Snapshot) {
  const [nodeTypes] = meta.node_types;
  const [edgeTypes] = meta.edge_types;
  const ofNode = (name: string): number => meta.node_fields.indexOf(name);
  const ofEdge = (name: string): number => meta.edge_fields.indexOf(name);
  return {
    nodeTypes,
    edgeTypes,
    nodeSize: meta.node_fields.length,
    nodeType: ofNode("type"),
    nodeName: ofNode("name"),
    nodeId: ofNode("id"),
    nodeEdges: ofNode("edge_count"),
    edgeSize: meta.edge_fields.length,
    edgeType: ofEdge("type"),
    edgeName: ofEdge("name_or_index"),
    edgeTo: ofEdge("to_node"),
    weak: edgeTypes.indexOf("weak"),
    array: nodeTypes.indexOf("array"),
    numbered: new Set(["element", "hidden"].map((type) => edgeTypes.indexOf(type))),
  };
}

type Layout = ReturnType<typeof layoutOf>;
type Triple = [number, number, number];
