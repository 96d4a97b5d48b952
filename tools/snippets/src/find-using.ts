import ts from 'typescript';

/** The positions of `using` and `await using` declarations, which are a syntax error on Node 22. */
export function findUsing(file: ts.SourceFile): number[] {
  const starts: number[] = [];
  const visit = (node: ts.Node): void => {
    // `let` and `const` don't have this bit; `using` and `await using` do.
    if (ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.Using) !== 0) starts.push(node.getStart(file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return starts;
}
