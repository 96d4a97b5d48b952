import type { LatinLanguage } from './language.ts';

/**
 * Everyday words that are no stop words, for telling languages apart: verbs, adverbs, greetings, and what people tell a
 * memory. Written for this package from general knowledge. English has those too that look like a stop word of another
 * language ("war", "die", "met", "pour"), so that they count for neither alone.
 */
export const COMMON_WORDS: Record<LatinLanguage, readonly string[]> = {
  en: [
    'hi hello hey thanks thank yes yeah yep wow oh ok okay sure cool great good nice awesome amazing love like really well',
    'want need know think see look looks go going gone went get got make made take took come came tell told say said give',
    'gave find found feel feels hear heard keep let try tried work works worked live lives lived play plays help start',
    'one two three first last new old day days week weeks month year years time today yesterday tomorrow morning night',
    'people friend friends family mom dad mother father brother sister kids children home house school job thing things',
    'something anything nothing everything someone everyone much many also back even still always never often ago since',
    "may us it's that's what's i'll i'd you'll we're they're he's she's there's thats name favorite favourite",
    'lot bit way best better happy fun',
    'war die met door van ben hat also son pour chat dove due sale mine pain main men ten on per fine large',
    'no so man am an in we over all is was per me mi',
  ],
  de: [
    'hallo danke bitte tschüss guten gute gut besser schön toll genau klar vielleicht natürlich immer nie oft',
    'gern gerne heute gestern morgen jetzt später früher abend nacht tag tage tagen woche wochen monat jahr jahre jahren',
    'mag liebt liebe lieben wohnt wohne wohnen lebt lebe leben arbeitet arbeite arbeiten geht gehe gehen ging kommt komme',
    'kommen kam macht mache machen gemacht sagt sagte gesagt weiß wissen heißt heiße heißen gibt gab geben nimmt nehmen',
    'finde findet finden fährt fahren isst essen trinkt trinken spielt spielen kauft gekauft kaufen braucht brauche',
    'brauchen denke denkt glaube spricht sprechen lernt lernen hilft gefällt trifft treffen',
    'frau herr mann kind kinder mutter vater bruder schwester freund freunde freundin eltern haus wohnung arbeit schule',
    'stadt hund katze name lieblings zwei drei vier fünf zehn viel viele mehr neu neue neuen neuer neues alt alte letzte',
    'letzten letztes nächste nächsten ganz einfach zusammen zuhause seinem welches',
  ],
  es: [
    'hola gracias adiós bueno buena buenos buenas bien mejor claro vale quizás siempre nunca hoy ayer mañana ahora tarde',
    'noche día días semana mes año años quiero quiere quieres gusta gustan encanta vive vivo vivir viven trabaja trabajo',
    'trabajar va voy vas vamos van ir viene vengo hace hago hacer hizo dice digo decir dijo sabe sé saber puede puedo poder',
    'come comer bebe compró compré llama llamo llamar cree creo necesita necesito juega jugar habla hablar estudia viaja',
    'hijo hija hijos padre madre hermano hermana amigo amiga amigos casa ciudad escuela perro gato comida nombre',
    'dos tres cuatro cinco diez nuevo nueva viejo grande pequeño favorito favorita cumpleaños señor señora fin',
  ],
  fr: [
    "bonjour salut merci oui non bon bonne bons bonnes mieux peut-être toujours jamais souvent aujourd'hui hier demain",
    'maintenant soir matin nuit jour jours semaine mois an ans année années veux veut vouloir aime aimes aiment aimer adore',
    'habite habites habiter vit vivre travaille travailler va vais vas allons aller vient venir fait fais faire dit dire',
    'sait sais savoir peut peux pouvoir mange manger boit boire acheté achète acheter appelle appeler crois pense penser',
    'joue jouer parle parler faut doit trouve prend prendre aimerait voudrais',
    'fils fille père mère frère sœur soeur ami amie amis enfant enfants femme homme mari maison ville école chien chat',
    'nom prénom deux trois quatre cinq dix nouveau nouvelle petit petite grand grande préféré préférée beaucoup peu',
    "c'est j'ai j'aime qu'est-ce est-ce d'accord n'est n'a s'est c'était monsieur madame",
  ],
  it: [
    'ciao grazie prego sì buono buona buon bene meglio forse sempre mai spesso oggi ieri domani adesso ora sera mattina',
    'notte giorno giorni settimana mese anno anni voglio vuole piace piacciono vive vivo vivere abita abito abitare lavora',
    'lavoro lavorare va vado vai andiamo vanno andare andato andata viene vengo venire fa faccio fare fatto dice dico dire',
    'detto sa so sapere può posso potere deve devo mangia mangiare beve comprato comprare chiama chiamo chiamare credo',
    'penso gioca giocare parla parlare studia vorrei',
    'figlio figlia figli padre madre fratello sorella amico amica amici bambini bambino moglie marito casa città scuola',
    'cane gatto nome due tre quattro cinque dieci nuovo nuova vecchio piccolo piccola grande preferito preferita compleanno',
    "c'è l'ho dov'è com'è cos'è",
  ],
  nl: [
    'hallo hoi dank bedankt alsjeblieft ja nee goed goede beter mooi leuk leuke misschien altijd nooit vaak vandaag',
    'gisteren morgen straks later vroeger avond nacht dag dagen week weken maand jaar jaren houd houdt hou hield vind vindt',
    'woon woont wonen leeft leven werk werkt werken ga gaat gaan ging gegaan kom komt komen kwam maak maakt maken gemaakt',
    'doe doet doen gedaan zeg zegt zei gezegd weet weten geef geeft neem neemt eet eten drinkt drinken gegeten',
    'speelt spelen koopt kocht gekocht kopen denk denkt praat spreekt leert heet heten gezien graag',
    'vrouw kind kinderen moeder vader broer zus vriend vrienden vriendin ouders huis school stad hond kat naam',
    'twee drie vier vijf tien nieuw nieuwe oud oude klein kleine groot grote lievelings verjaardag erg meer meest samen',
    'volgende vorige afgelopen elke',
  ],
  pt: [
    'olá oi obrigado obrigada sim bom boa bons boas bem melhor talvez sempre nunca hoje ontem amanhã agora noite tarde',
    'manhã dia dias semana mês ano anos quero quer gosto gosta gostam adora mora moro morar vive vivo viver trabalha',
    'trabalho trabalhar vai vou vamos vão ir vem venho vir faz faço fazer fez diz digo dizer disse sabe sei saber pode',
    'posso poder come comer bebe comprou comprei comprar chama chamo acho acha preciso precisa joga jogar fala falar',
    'estuda viajou viajar queria',
    'filho filha filhos pai mãe irmão irmã amigo amiga amigos casa cidade escola cão cachorro gato nome mulher marido',
    'dois duas três quatro cinco dez novo nova velho pequeno pequena grande favorito favorita preferido aniversário senhor',
  ],
};
