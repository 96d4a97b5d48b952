import { isVariableDeclarationList, type Node, NodeFlags, type SourceFile } from 'typescript7/unstable/ast';

/** The positions of `using` and `await using` declarations, which are a syntax error on Node 22. */
export function findUsing(file: SourceFile): number[] {
  const starts: number[] = [];
  const visit = (node: Node): void => {
    // `let` and `const` don't have this bit; `using` and `await using` do.
    if (isVariableDeclarationList(node) && (node.flags & NodeFlags.Using) !== 0) starts.push(node.getStart(file));
    node.forEachChild(visit);
  };
  visit(file);
  return starts;
}
