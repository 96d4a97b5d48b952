import { fold } from '../text/normalise.ts';
import type { Language } from './language.ts';
import { wordsOfScripts } from './words-of-scripts.ts';

/**
 * Function words, written for this package from the grammar of each language, class by class: articles and determiners,
 * pronouns, prepositions (with the articles that they merge with), conjunctions and question words, auxiliaries, the adverbs
 * that go with them. Left out is what a memory can be about: numbers, days, months ("May"), names, nouns, full verbs.
 * English includes contractions without an apostrophe, as people type them.
 */
const LISTS: Record<Exclude<Language, 'none'>, readonly string[]> = {
  en: [
    'a an the this that these those each such same other some any all both few more most own no',
    'i me my myself you your yours yourself yourselves he him his himself she her hers herself it its itself',
    'we us our ours ourselves they them their theirs themselves',
    'about above after against at before below between by down during for from in into of off on out over through to',
    'under until up with and but or nor if because as than so while what which who whom whose when where why how',
    'am is are was were be been being do does did doing have has had having can cannot could will would shall should',
    'must might ought not very just only too again further once now then here there',
    "aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shan't shouldn't wasn't weren't won't",
    "wouldn't i'm i've it's let's you're arent cant couldnt didnt doesnt dont hadnt hasnt havent im isnt ive shouldnt",
    'wasnt werent wont wouldnt youre',
  ],
  de: [
    'der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines',
    'dies diese dieser dieses diesem diesen jene jener jenes jenem jenen jede jeder jedes jedem jeden manche mancher',
    'manches manchem manchen solche solcher solches solchem solchen welche welcher welches welchem welchen',
    'alle aller alles allem allen etwas nichts man',
    'ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich',
    'mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines sein seine seinen seinem seiner seines',
    'ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres euer eure euren eurem eurer eures',
    'deren dessen dabei dadurch dafür dagegen damit danach daran darauf daraus darin darüber darum davon dazu',
    'an am ans auf aus bei beim bis durch für gegen hinter im in ins mit nach neben ohne seit über um unter von vom vor',
    'während wegen zu zum zur zwischen',
    'und oder aber denn sondern dass daß ob wenn als weil damit obwohl bevor nachdem sowie',
    'wer wen wem wessen was wann wo woher wohin warum wieso weshalb wie womit worüber wofür',
    'bin bist ist sind seid war warst waren wart gewesen habe hab hast hat haben habt hatte hattest hatten hattet gehabt',
    'werde wirst wird werden werdet wurde wurdest wurden wurdet worden kann kannst können könnt konnte konnten könnte',
    'könnten muss musst müssen musste mussten soll sollst sollen sollte sollten will willst wollen wollte wollten würde',
    'würdest würden darf dürfen mag möchte möchten',
    'nicht auch noch nur schon sehr so doch ja da dann hier dort also nun mal wieder',
  ],
  es: [
    'el la los las lo un una unos unas al del este esta esto estos estas ese esa eso esos esas',
    'aquel aquella aquello aquellos aquellas otro otra otros otras cada algún alguno alguna algunos algunas',
    'ningún ninguno ninguna nada algo alguien nadie todo toda todos todas mucho mucha muchos muchas poco poca tanto tanta',
    'yo tú él ella ello ellos ellas nosotros nosotras vosotros vosotras usted ustedes me te se le les nos os mí ti sí',
    'conmigo contigo mi mis tu tus su sus mío mía míos mías tuyo tuya suyo suya suyos suyas',
    'nuestro nuestra nuestros nuestras vuestro vuestra',
    'a ante bajo con contra de desde durante en entre hacia hasta para por según sin sobre tras',
    'y e o u ni pero sino que si porque aunque como cuando donde mientras pues',
    'qué quién quiénes quien quienes cuál cuáles cual cuales cuándo cómo dónde cuánto cuánta cuántos cuántas',
    'soy eres es somos sois son era eras éramos eran fui fuiste fue fuimos fueron ser sido siendo sea sean será serán',
    'estoy estás está estamos estáis están estar estaba estabas estábamos estaban estado estuve estuvo',
    'he has ha hemos han haber había habían habías hay hubo haya tengo tienes tiene tenemos tienen tener tenía tuve tuvo',
    'no ya muy más menos también tampoco así aquí ahí allí antes después',
  ],
  fr: [
    'le la les un une des du de au aux ce cet cette ces cela ceci ça celui celle ceux celles',
    'quelque quelques chaque aucun aucune autre autres même mêmes tout toute tous toutes tel telle tels telles',
    'je tu il elle on nous vous ils elles me te se moi toi lui leur eux soi y en',
    'mon ma mes ton ta tes son sa ses notre nos votre vos leurs',
    'à avec chez contre dans depuis dès devant derrière en entre par pendant pour sans selon sous sur vers',
    'et ou mais donc or ni car que qui quoi dont où si comme quand lorsque puisque parce puis',
    'comment pourquoi combien quel quelle quels quelles',
    'suis es est sommes êtes sont étais était étions étiez étaient été être étant sera serai seront serait fut soit',
    'ai as a avons avez ont avais avait avions aviez avaient avoir ayant aura aurai aurait eu eut ait',
    'ne pas plus très trop aussi encore déjà alors ici là bien',
  ],
  it: [
    'il lo la i gli le un uno una questo questa questi queste quello quella quelli quelle quel quei quegli',
    'ogni qualche alcuni alcune altro altra altri altre tutto tutta tutti tutte stesso stessa molto molta molti molte',
    'io tu lui lei noi voi loro me te sé mi ti si ci vi ne li',
    'mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre',
    'a ad al allo alla ai agli alle con col coi da dal dallo dalla dai dagli dalle di del dello della dei degli delle',
    'in nel nello nella nei negli nelle per su sul sullo sulla sui sugli sulle tra fra contro dopo prima durante senza',
    'sopra sotto verso e ed o od ma però né che se perché come dove quando mentre anche quindi dunque poi',
    'chi cui cosa quale quali qual quanto quanta quanti quante',
    'sono sei è siamo siete ero eri era eravamo eravate erano essere stato stata stati state sia siano sarà sarò fu',
    'ho hai ha abbiamo avete hanno avevo avevi aveva avevamo avevano avere avuto abbia',
    'non più già così qui qua là ancora',
  ],
  nl: [
    'de het een dit dat deze die elk elke ieder iedere geen al alle andere ander iets niets veel',
    'ik jij je u hij zij ze wij we jullie mij me jou hem haar hen hun ons zich zichzelf',
    'mijn jouw uw zijn onze er hier daar men iemand niemand',
    'aan achter bij binnen door in langs met na naar naast om onder op over per sinds tegen te ten ter tijdens tot tussen',
    'uit van vanaf voor zonder en of maar want dus omdat als dan toen terwijl hoewel zodat',
    'wie wat welk welke waar waarom wanneer hoe wiens',
    'ben bent is was waren geweest wees heb hebt heeft hebben had hadden gehad word wordt worden werd werden geworden',
    'kan kun kunt kunnen kon konden zal zult zullen zou zouden wil wilt willen wilde moet moeten moest mag mogen mocht',
    'niet ook nog nu wel al toch zo zeer heel weer alleen',
  ],
  pt: [
    'o a os as um uma uns umas este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas',
    'outro outra outros outras cada algum alguma alguns algumas nenhum nenhuma nada algo alguém ninguém todo toda todos',
    'todas muito muita muitos muitas pouco pouca tanto mesmo mesma',
    'eu tu ele ela nós vós eles elas você vocês me te se lhe lhes nos vos mim ti si comigo contigo',
    'meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas dele dela deles delas',
    'ao aos à às até com contra da das de desde do dos durante em entre na nas no nos num numa para pela pelas pelo pelos',
    'por sem sob sobre e ou mas nem que se porque como quando enquanto embora pois',
    'quê quem qual quais onde quanto quanta quantos quantas',
    'sou és é somos são era eras éramos eram fui foi fomos foram ser sido sendo seja sejam será serão',
    'estou está estamos estão estar estava estavam estive esteve estado tenho tens tem temos têm ter tinha tinham teve',
    'tive há havia haver houve não já muito mais menos também só ainda assim aqui ali lá depois antes',
  ],
  ru: [
    'я ты он она оно мы вы они меня тебя его ее нас вас их мне тебе ему ей нам вам им мной тобой ею нами вами ими',
    'нем нее ней него них ним ними себя себе собой мой моя мое мои моего моей моих моим моем мою твой твоя твое твои твоего',
    'твоей твоих наш наша наше наши нашего нашей наших ваш ваша ваше ваши вашего вашей ваших свой своя свое свои своего',
    'своей своих этот эта это эти этого этой этих этом этим эту тот та то те того той тех том тем ту такой такая такое такие',
    'весь вся все всего всей всех всем сам сама само сами каждый каждая каждое',
    'в во на с со к ко у о об обо от до из за по под над при про для без через между перед после около',
    'и а но или да ни не что чтобы если как когда где куда откуда почему зачем потому хотя пока пусть',
    'кто кого кому кем чего чему чем какой какая какое какие каком который которая которое которые которого которой',
    'которых котором чей чья чье чьи сколько',
    'был была было были быть есть буду будешь будет будем будете будут бы ли же ведь вот уже еще тоже также только',
    'там тут здесь тогда теперь очень так нет ну',
  ],
};

const sets = new Map<Language, ReadonlySet<string>>();

/** The stop words of a language as listed, with apostrophes and diacritics. */
export function functionWordsOf(language: Exclude<Language, 'none'>): readonly string[] {
  return LISTS[language].flatMap((line) => line.split(' '));
}

/** The stop words of a language, with those of other scripts, without apostrophes and diacritics. Created at the first use. */
export function stopWordsOf(language: Language): ReadonlySet<string> {
  let set = sets.get(language);
  if (set === undefined) {
    const words = language === 'none' ? [] : functionWordsOf(language);
    const others = language === 'none' ? [] : wordsOfScripts();
    set = new Set([...words.map((word) => fold(word.replaceAll("'", ''))), ...others]);
    sets.set(language, set);
  }
  return set;
}
