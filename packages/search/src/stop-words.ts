import type { Language } from './language.ts';
import { fold } from './normalise.ts';

/**
 * Words that say how a sentence is built and not what it is about: articles, pronouns, prepositions, conjunctions,
 * auxiliaries, question words. Based on the lists published with the Snowball stemmers (snowballstem.org), less
 * everything that a memory can turn on (numbers, days, "summer", "person", "life", "said"), and with English
 * contractions as people type them without an apostrophe.
 */
const LISTS: Record<Exclude<Language, 'none'>, string> = {
  de: `aber als also am an auch auf aus bei beim bin bis bist da dabei dafür damit dann daran darauf das dass daß dazu
    dein deine deinem deinen deiner deines dem den denn der deren des dessen dich die dies diese diesem diesen dieser
    dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure eurem euren eurer für
    gegen habe haben habt hast hat hatte hatten hattest hattet hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren
    ihrer ihres im in ins ist ja jede jedem jeden jeder jedes jene jenem jenen jener jenes kann kannst kein keine
    keinem keinen keiner können könnte man manche manchem manchen mancher mein meine meinem meinen meiner meines mich
    mir mit muss musste nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines seit sich sie
    sind so solche solchem solchen solcher soll sollte sondern sonst über um und uns unser unsere unserem unseren
    unserer unter viel vom von vor wann war waren warst warum was weil welche welchem welchen welcher welches wem wen
    wenn wer werde werden wessen wie wieso will wir wird wirst wo woher wohin wollen wurde wurden würde würden zu zum
    zur zwar zwischen`,
  en: `a about above after again against all am an and any are arent aren't as at be because been before being below
    between both but by can cannot cant can't could couldnt couldn't did didnt didn't do does doesnt doesn't doing dont
    don't down during each few for from further had hadnt hadn't has hasnt hasn't have havent haven't having he her
    here hers herself him himself his how i if im in into is isnt isn't it its itself ive just let's me might more most
    must mustn't my myself no nor not now of off on once only or other ought our ours ourselves out over own same shall
    shan't she should shouldnt shouldn't so some such than that the their theirs them themselves then there these they
    this those through to too under until up us very was wasnt wasn't we were werent weren't what when where which
    while who whom whose why will with wont won't would wouldnt wouldn't you your youre yours yourself yourselves`,
  es: `a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquellas aquello aquellos aquí así aunque
    cada como cómo con contra cual cuál cuales cuáles cuando cuándo cuanto cuánto de del desde donde dónde durante e el
    él ella ellas ello ellos en entre era eran eras eres es esa esas ese eso esos esta está estaba estaban estado
    estamos están estar estas estás este esto estos estoy fue fueron fui ha había habían han has hasta hay he hemos la
    las le les lo los más me mi mí mis mucho muy nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o
    os otra otras otro otros para pero poco por porque que qué quien quién quienes se sea sean según ser si sí sido sin
    sobre sois somos son soy su sus también tanto te tengo tenemos tener tiene tienen tienes tu tú tus tuve tuvo tuya
    tuyo un una unas uno unos vosotras vosotros vuestra vuestro y ya yo`,
  fr: `à ai aie ait alors as au aucun aucune aura aurait aussi autre autres aux avaient avais avait avec avez avions
    avoir avons ayant car ce ceci cela celle celles celui ces cet cette ceux chez comme comment dans de depuis des donc
    dont du elle elles en encore entre es est et étaient étais était étant êtes étions être eu eux il ils je la là le
    les leur leurs lui ma mais me même mêmes mes moi mon ne ni nos notre nous on ont ou où par pas pendant plus pour
    pourquoi quand que quel quelle quelles quels qui quoi sa sans se sera serait ses si soi soit sommes son sont sous
    suis sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y`,
  it: `a ad agli ai al alla alle allo anche avere aveva avevano avevo avuto c che chi ci coi col come con contro cosa
    così cui d da dagli dai dal dalla dalle dallo dei degli del della delle dello di dopo dove dunque e è ed era erano
    ero essere fra fu gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne né
    negli nei nel nella nelle nello no noi non nostra nostre nostri nostro o ogni per perché però più poi qual quale
    quali quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo qui se sei senza
    si sia siamo siete sono sopra sotto sta stata state stati stato su sua sue sugli sui sul sulla sulle sullo suo suoi
    te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno vi voi vostra vostre vostri vostro`,
  nl: `aan al als andere ben bent bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had hadden
    haar heb hebben hebt heeft hem het hier hij hoe hun iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me
    meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot
    u uit uw van veel voor waar waarom wanneer want waren was wat we welk welke werd wie wiens wij wil worden wordt zal
    ze zelf zich zij zijn zo zonder zou zouden`,
  pt: `a à ainda ao aos aquela aquelas aquele aqueles aquilo as às até com como da das de dela delas dele deles depois
    do dos e é ela elas ele eles em entre era eram éramos és essa essas esse esses esta está estamos estão estar estas
    estava estavam este estes estou eu foi fomos for foram fosse fui há haver isso isto já lhe lhes mais mas me mesmo
    meu meus minha minhas muito na não nas nem no nos nós nossa nossas nosso nossos num numa o onde os ou para pela
    pelas pelo pelos por porque qual quais quando quanto que quê quem se seja sem ser será seu seus só sobre somos sou
    são sua suas também te tem têm temos tenho ter teu teus teve ti tinha tinham tu tua tuas um uma umas uns você vocês
    vos`,
  ru: `а без более больше будет будто бы был была были было быть в вам вас ваш ваша ваше ваши ведь во вот все всё всего
    всех вы где да даже для до его ее её ей ему если есть еще ещё же за здесь и из или им их к как какая какие какой
    когда кого кому которая которое которые который кто куда ли либо мне много мной мои мой моя мы на над надо нас наш
    наша наше наши не него нее неё ней нет ни них но ну о об однако он она они оно от очень перед по под после потому
    почему при про с сам сама свои свой своя себе себя со так такая также такие такой там тебе тебя тем то тобой тогда
    того тоже только том тот ту тут ты у уж уже чего чей чем через что чтобы чьё чья эта эти это этого этой этом этот я`,
};

const sets = new Map<Language, ReadonlySet<string>>();

/** The stop words of a language, without apostrophes and diacritics; made at the first use. */
export function stopWordsOf(language: Language): ReadonlySet<string> {
  let set = sets.get(language);
  if (set === undefined) {
    const words = language === 'none' ? [] : LISTS[language].split(/\s+/);
    set = new Set(words.map((word) => fold(word.replaceAll("'", ''))));
    sets.set(language, set);
  }
  return set;
}
