/**
 * Whether a text of a model stands for nothing: an `'echo'` repeats the form of the answer, such as `…` and `string`; `'nothing'`
 * says that there is nothing, such as `N/A` and `No change`. Texts that merely contain such words are no placeholders.
 */
export function placeholder(text: string): 'echo' | 'nothing' | undefined {
  if (/^[^\p{L}\p{N}]*(?:string[^\p{L}\p{N}]*)?$/iu.test(text)) return 'echo';
  return NOTHING.test(text) ? 'nothing' : undefined;
}

const NOTHING =
  /^[^\p{L}\p{N}]*(?:null|none|nil|undefined|n\/a|not (?:applicable|available|mentioned|provided|specified|stated)|unknown|unspecified|unchanged|nothing(?: new| (?:new )?to (?:add|change|remember|save|store|update))?|no (?:new )?(?:changes?|facts?|info|information|updates?)(?: (?:is |are )?(?:made|needed|necessary|required))?|(?:the )?same(?: as before)?|keine Änderung(?:en)?|aucun changement|sin cambios|无|なし)[^\p{L}\p{N}]*$/iu;
