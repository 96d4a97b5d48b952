import { join } from 'node:path';
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser } from 'acorn';

/** What an expression is without running the program; `undefined` if only running it can tell. */
export type StaticValue = string | StaticObject | undefined;
type StaticObject = ReadonlyMap<string, StaticValue>;

/** A node of the syntax tree. Acorn's types do not know those of TypeScript. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const TypeScriptParser = Parser.extend(tsPlugin());

/**
 * The default export of a module in JavaScript or TypeScript, or its `module.exports`.
 *
 * @throws SyntaxError that ends with the line and column.
 */
export function readDefaultExport(text: string): StaticValue {
  const { body } = TypeScriptParser.parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  const constants = new Map<string, StaticValue>();
  let exported: StaticValue;
  for (const statement of body as unknown as readonly Node[]) {
    for (const [name, value] of constantsOf(statement)) constants.set(name, evaluate(value, constants));
    const value = exportedBy(statement);
    if (value !== undefined) exported = evaluate(value, constants);
  }
  return exported;
}

function constantsOf(statement: Node): [name: string, value: Node][] {
  const declaration = (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement) as Node | null;
  if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return [];
  const declared = declaration.declarations as readonly { readonly id: Node; readonly init: Node }[];
  return declared.flatMap(({ id, init }) => (id.type === 'Identifier' ? [[id.name as string, init]] : []));
}

function exportedBy(statement: Node): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration as Node;
  const { type, left, right } = (statement.expression ?? {}) as Partial<Node>;
  return type === 'AssignmentExpression' && nameOf(left as Node) === 'exports' ? (right as Node) : undefined;
}

function evaluate(node: Node, constants: StaticObject): StaticValue {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined;
    case 'TemplateLiteral': {
      const [first, ...others] = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
      return others.length === 0 ? first?.value.cooked : undefined;
    }
    case 'Identifier':
      return constants.get(node.name as string);
    case 'ObjectExpression':
      return new Map((node.properties as readonly Node[]).flatMap((property) => entriesOf(property, constants)));
    case 'CallExpression':
      return evaluateCall(node, constants);
    default:
      // Parentheses, `as`, `satisfies` and `!` change nothing.
      return node.expression === undefined ? undefined : evaluate(node.expression as Node, constants);
  }
}

function entriesOf(property: Node, constants: StaticObject): [key: string, value: StaticValue][] {
  if (property.type === 'SpreadElement') {
    const spread = evaluate(property.argument as Node, constants);
    return spread instanceof Map ? [...spread] : [];
  }
  const key = property.key as Node;
  const name = property.computed || key.type === 'Literal' ? evaluate(key, constants) : nameOf(key);
  return typeof name === 'string' ? [[name, evaluate(property.value as Node, constants)]] : [];
}

/** `path.join` joins. Any other function, such as `defineConfig`, is taken to return its argument. */
function evaluateCall(call: Node, constants: StaticObject): StaticValue {
  const values = (call.arguments as readonly Node[]).map((argument) => evaluate(argument, constants));
  if (nameOf(call.callee as Node) !== 'join') return values[0];
  return values.every((value) => typeof value === 'string') ? join(...values) : undefined;
}

/** The name of a variable, or of the property that is accessed. */
function nameOf(node: Node): unknown {
  return node.type === 'MemberExpression' ? nameOf(node.property as Node) : node.name;
}
