import { analyserOf } from './analyser.ts';

/**
 * English words whose forms no stemmer brings together, because they change inside. Verbs first, then nouns. A form
 * that is also a common word of its own ("left", "saw", "found", "felt") stands here where the verb is the likelier
 * reading in what people tell.
 */
const FORMS = `
  become became; begin began begun; bite bit bitten; blow blew blown; break broke broken; bring brought; build built;
  buy bought; catch caught; choose chose chosen; come came; deal dealt; dig dug; draw drew drawn; drink drank drunk;
  drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; fly flew flown;
  forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone;
  grow grew grown; hear heard; hide hid hidden; hold held; keep kept; know knew known; lead led; learn learnt;
  leave left; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung;
  rise rose risen; run ran; say said; see saw seen; sell sold; send sent; shake shook shaken; shoot shot;
  show shown; sing sang sung; sit sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen;
  stick stuck; strike struck; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
  think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won; write wrote written;
  child children; foot feet; half halves; knife knives; leaf leaves; life lives; man men; mouse mice; person people;
  shelf shelves; tooth teeth; wife wives; wolf wolves; woman women; bad worse worst; good better best`;

let groups: Map<string, readonly string[]> | undefined;

/** The other stems under which the forms of an English word stand in an index. */
export function otherForms(stem: string): readonly string[] {
  groups ??= readGroups();
  return groups.get(stem)?.filter((form) => form !== stem) ?? [];
}

function readGroups(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of FORMS.split(';')) {
    const stems = [...new Set(analyserOf('en').analyse(line).terms)];
    for (const stem of stems) if (stems.length > 1) found.set(stem, stems);
  }
  return found;
}
