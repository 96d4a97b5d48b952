import { WEIGHTS } from '../ranking/ranking-weights.ts';
import { analyserOf } from '../text/analyser.ts';
import type { Word } from '../text/lexicon.ts';
import { StemmedWords } from '../text/stemmed-words.ts';
import type { TermGroup } from './lexical-index.ts';

/**
 * Categories of things that people talk about, and that developers work with, each with its names and its members. A question about somebody's pets,
 * instruments or hobbies uses a word that was never said when they mentioned their dog, guitar or pottery. Names without
 * members are words for the same thing. Contains only common words: a rare word costs nothing, but an ambiguous one finds
 * unrelated entries.
 */
const KINDS = `
  pet animal: dog puppy cat kitten hamster rabbit guinea bird parrot budgie canary fish goldfish turtle tortoise lizard snake horse pony gerbil ferret retriever labrador poodle terrier spaniel beagle bulldog dachshund collie husky pug
  dog breed: retriever labrador poodle terrier spaniel beagle bulldog dachshund collie husky pug
  cat kitten: tabby siamese
  bird: parrot eagle owl duck chicken robin
  instrument: guitar piano violin cello drum flute clarinet saxophone trumpet harp ukulele keyboard banjo
  sport athletic: football soccer basketball baseball volleyball tennis badminton cricket rugby hockey golf swimming running cycling boxing wrestling skiing snowboarding skating surfing climbing bouldering gymnastics archery rowing hiking jogging marathon
  climb: boulder
  martial: karate judo taekwondo kickboxing boxing aikido jujitsu
  book read literature: novel author story chapter poem library memoir fiction biography
  novel: book read
  genre: fantasy mystery romance horror thriller comedy drama documentary fiction
  movie film cinema: watch actor director documentary comedy drama thriller trailer
  music musician: song band album concert singer playlist jazz rock pop classical hiphop
  dance: ballet salsa hiphop tango waltz choreography
  food meal cuisine dish: cook bake eat recipe restaurant breakfast lunch dinner pizza pasta soup salad sandwich rice chicken beef fish seafood shellfish curry sushi taco risotto noodle stew burger lasagna omelette pancake cheese egg
  dessert sweet: cake pie cookie brownie muffin pudding chocolate candy pastry icecream
  seafood shellfish: prawn shrimp crab lobster mussel oyster clam squid
  prawn shrimp crab lobster mussel oyster clam squid: seafood shellfish
  meat: beef pork chicken lamb bacon ham sausage turkey steak
  meat fish diet: vegetarian vegan
  nut: peanut almond walnut hazelnut cashew pecan pistachio
  peanut almond walnut hazelnut cashew pecan pistachio: nut
  dairy: milk cheese butter cream yogurt lactose
  milk cheese butter cream yogurt: dairy lactose
  bread wheat: gluten celiac
  herb spice: coriander cilantro basil parsley mint thyme rosemary oregano dill cumin cinnamon ginger
  coriander cilantro:
  avoid eat: allergy allergic intolerant
  intolerant intolerance allergy allergic:
  dislike hate detest:
  fruit: apple banana orange strawberry blueberry mango grape peach lemon
  vegetable: carrot potato tomato onion spinach broccoli lettuce cabbage pepper cucumber mushroom bean pea pumpkin courgette zucchini aubergine eggplant
  courgette zucchini:
  aubergine eggplant:
  drink beverage: coffee tea wine beer juice water cocktail smoothie lemonade soda espresso cappuccino latte whisky
  coffee: espresso cappuccino latte
  espresso cappuccino latte: coffee
  job work career profession occupation: hire boss office company promotion interview internship employer colleague salary quit
  employer: company firm boss work job
  colleague coworker: work team
  profession occupation: engineer teacher nurse doctor lawyer designer developer programmer accountant manager consultant chef plumber electrician carpenter architect scientist journalist
  salary wage income: earn pay
  business company: startup shop store owner customer client launch market brand
  hobby pastime interest activity: hiking painting drawing reading writing cooking baking gardening photography dancing singing knitting sewing fishing camping gaming pottery climbing bouldering chess running cycling
  outdoor nature: hike camp park forest woods beach lake river mountain trail garden
  exercise fitness workout: gym run jog yoga pilates swim bike weights training lift cardio
  relative family: mom dad mother father parent sister brother sibling son daughter grandma grandpa grandmother grandfather aunt uncle cousin niece nephew wife husband
  mother mom mum mommy mama:
  father dad daddy papa:
  grandmother grandma granny nana:
  grandfather grandpa granddad:
  parent: mom dad mother father
  sibling: brother sister
  child kid: son daughter baby toddler boy girl
  sibling: twin
  grandparent: grandma grandpa grandmother grandfather
  partner spouse: husband wife boyfriend girlfriend fiance
  husband wife: spouse partner
  marry wedding: bride groom engage husband wife
  birth born: birthday
  birthday: born
  childhood hometown: grew raised born child
  romantic relationship: boyfriend girlfriend dating partner breakup
  vacation holiday trip travel: visit flight fly hotel tour beach cruise abroad roadtrip
  autumn: september october november
  winter: december january february
  spring: march april may
  summer: june july august
  country nation: america usa canada mexico brazil england britain france spain italy germany ireland scotland sweden norway greece turkey india china japan korea thailand vietnam australia egypt portugal austria poland switzerland netherlands belgium denmark finland iceland croatia
  city town: london paris rome madrid barcelona berlin tokyo york boston chicago seattle angeles francisco miami toronto sydney dublin lisbon porto vienna amsterdam prague munich hamburg zurich brussels copenhagen stockholm oslo helsinki warsaw budapest athens istanbul melbourne vancouver montreal
  state: california texas florida oregon washington colorado michigan georgia alaska hawaii
  art artwork artistic: painting draw sketch sculpture pottery canvas gallery exhibit museum portrait
  craft: knit sew crochet pottery woodwork
  vehicle transport: car truck van bike bicycle motorcycle scooter bus train plane boat toyota honda ford bmw audi mercedes volkswagen tesla volvo renault peugeot fiat skoda nissan mazda hyundai subaru
  drive: car
  bike bicycle:
  car: drive vehicle truck garage mechanic tire toyota honda ford bmw audi mercedes volkswagen tesla volvo renault peugeot fiat skoda nissan mazda hyundai subaru
  illness disease medical health: sick doctor hospital clinic surgery injury pain fever flu cancer diabetes asthma allergy therapy medicine migraine arthritis epilepsy cholesterol medication tablet pill insulin
  medication medicine drug prescription: pill tablet insulin inhaler antibiotic dose vitamin aspirin
  pill tablet: medication medicine
  dentist dental: tooth teeth
  tooth teeth: dentist dental
  injury hurt: sprain break ankle knee wrist wound pain
  allergy: peanut pollen gluten dairy
  appointment: doctor dentist checkup
  doctor: appointment clinic hospital checkup
  game: videogame play console chess card board puzzle tournament player
  event occasion celebration: party wedding birthday concert festival conference fair parade ceremony show graduation anniversary
  holiday: christmas thanksgiving halloween easter hanukkah
  weather: rain snow sun storm wind hot cold
  school education study degree: college university class course teacher student exam graduate diploma major lesson
  subject: math science history biology chemistry physics english
  clothes clothing outfit wear: shirt dress shoe jacket coat hat jeans sneakers skirt sweater
  jewelry accessory: ring necklace bracelet earring watch
  money finance: save budget loan debt invest salary rent mortgage bank
  volunteer charity: donate shelter community fundraiser homeless nonprofit
  gift present: gave birthday wrap surprise
  buy purchase: bought order shop store got
  home house residence: apartment condo room move rent neighborhood flat address live
  apartment flat:
  address: live street
  internet wifi broadband:
  password passcode pin: code
  combination: code lock
  live: moved apartment house home neighborhood hometown
  furniture: chair table sofa couch desk bed shelf lamp
  device gadget electronics: phone laptop computer tablet camera headphone console
  technology software: app computer program code website robot
  religion religious faith spiritual: church pray god bible mosque temple synagogue
  politics political: election vote campaign mayor council government
  military: army navy veteran soldier
  emotion feeling mood: happy sad angry nervous anxious excited proud lonely scared
  relax destress unwind: yoga meditate bath walk music calm
  accomplishment achievement: win award prize medal trophy finish
  award prize: trophy medal winner
  competition contest: tournament race match championship win
  goal plan dream: hope want aim aspire future
  challenge problem difficulty obstacle: hard struggle tough setback
  habit routine: daily morning everyday
  color: red blue green yellow purple orange pink black white
  flower plant: rose tulip sunflower daisy lily orchid tree
  age old: birthday year turn
  language: spanish french german italian chinese japanese english portuguese russian korean arabic dutch polish swedish
  friend: buddy pal roommate neighbor
  learn skill: class lesson course practice taught
  close shut:
  begin start:
  daycare nursery kindergarten preschool: childcare
  dinner lunch breakfast: restaurant
  phone mobile smartphone: iphone android
  database db: postgres postgresql mysql mariadb sqlite mongodb mongo redis dynamodb cassandra elasticsearch
  database db:
  kubernetes k8s:
  production prod:
  repository repo: monorepo
  configuration config setting: env
  authentication auth login signin: password oauth oidc sso jwt
  authentication auth:
  login signin logout:
  programming: typescript javascript python rust golang java kotlin ruby php
  framework: react vue svelte angular nextjs fastify express django rails laravel
  editor ide: vscode vim neovim emacs intellij
  linter lint formatter: eslint biome prettier ruff
  testing test: vitest jest mocha pytest junit playwright cypress
  package dependency: npm pnpm yarn pip
  cloud hosting: aws azure gcp vercel netlify heroku cloudflare
  container: docker podman kubernetes
  deploy deployment rollout: release ship
  cache: redis memcached ttl
  timeout: ttl expire
  expire expiry: ttl timeout
  error failure exception crash:
  fail failure: error retry crash
  monitoring alert: grafana sentry datadog prometheus
  maximum max limit:
  unreliable flaky:`;

/** The lines of the categories by their names. */
let categories: StemmedWords<string> | undefined;
const members = new Map<string, readonly TermGroup[]>();

/** Words for the same as an English word of the query, and the members of the category that it names. */
export function synonymsOf({ term, isStopWord, language }: Word): readonly TermGroup[] {
  if (language !== 'en' || isStopWord) return [];
  categories ??= new StemmedWords(readCategories());
  const lines = categories.get(term);
  if (lines.length === 0) return [];
  let groups = members.get(term);
  if (groups === undefined) {
    // Stemming the members of all categories would stop the first search of a process for long.
    const same = new Set(lines.filter((line) => line.endsWith(':')).flatMap(stemsOf));
    const others = new Set(lines.flatMap(stemsOf).filter((stem) => !same.has(stem) && stem !== term));
    same.delete(term);
    groups = [
      { terms: [...same], weight: WEIGHTS.same },
      { terms: [...others], weight: WEIGHTS.kind },
    ].filter(({ terms }) => terms.length > 0);
    members.set(term, groups);
  }
  return groups;
}

function* readCategories(): Generator<readonly [name: string, line: string]> {
  for (const line of KINDS.trim().split('\n')) {
    const [names] = line.split(':') as [string];
    for (const name of names.trim().split(' ')) yield [name, line];
  }
}

function stemsOf(words: string): readonly string[] {
  return analyserOf('en').analyse(words).terms;
}
