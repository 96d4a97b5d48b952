import type { ChangingFact } from './changing-fact.ts';

/** Facts that change, with what holds after each message. */
export const changingFacts: readonly ChangingFact[] = [
  {
    about: 'moved',
    told: [
      { says: 'I live in Berlin.', learns: [{ add: 'Lives in Berlin.' }], holds: ['Lives in Berlin.'] },
      {
        says: 'I have moved to Lisbon.',
        learns: [{ from: 'Lives in Berlin.', to: 'Lives in Lisbon.' }],
        holds: ['Lives in Lisbon.'],
      },
    ],
  },
  {
    about: 'moved twice',
    told: [
      { says: 'I live in Turku.', learns: [{ add: 'Lives in Turku.' }], holds: ['Lives in Turku.'] },
      {
        says: 'We moved to Oslo.',
        learns: [{ from: 'Lives in Turku.', to: 'Lives in Oslo.' }],
        holds: ['Lives in Oslo.'],
      },
      {
        says: 'We moved on to Bergen.',
        learns: [{ from: 'Lives in Oslo.', to: 'Lives in Bergen.' }],
        holds: ['Lives in Bergen.'],
      },
    ],
  },
  {
    about: 'moved and moved back',
    told: [
      { says: 'I live in Kyiv.', learns: [{ add: 'Lives in Kyiv.' }], holds: ['Lives in Kyiv.'] },
      {
        says: 'I am in Warsaw now.',
        learns: [{ from: 'Lives in Kyiv.', to: 'Lives in Warsaw.' }],
        holds: ['Lives in Warsaw.'],
      },
      {
        says: 'I am back in Kyiv.',
        learns: [{ from: 'Lives in Warsaw.', to: 'Lives in Kyiv.' }],
        holds: ['Lives in Kyiv.'],
      },
    ],
  },
  {
    about: 'changed jobs',
    told: [
      { says: 'I work at Siemens.', learns: [{ add: 'Works at Siemens.' }], holds: ['Works at Siemens.'] },
      {
        says: 'I start at Bosch today.',
        learns: [{ from: 'Works at Siemens.', to: 'Works at Bosch.' }],
        holds: ['Works at Bosch.'],
      },
    ],
  },
  {
    about: 'was promoted',
    told: [
      { says: 'I am a nurse.', learns: [{ add: 'Is a nurse.' }], holds: ['Is a nurse.'] },
      {
        says: 'I am head nurse now.',
        learns: [{ from: 'Is a nurse.', to: 'Is head nurse.' }],
        holds: ['Is head nurse.'],
      },
      {
        says: 'They made me director.',
        learns: [{ from: 'Is head nurse.', to: 'Is director of nursing.' }],
        holds: ['Is director of nursing.'],
      },
    ],
  },
  {
    about: 'changed their mind',
    told: [
      { says: 'I want to go to Rome.', learns: [{ add: 'Wants to go to Rome.' }], holds: ['Wants to go to Rome.'] },
      {
        says: 'Rather to Porto.',
        learns: [{ from: 'Wants to go to Rome.', to: 'Wants to go to Porto.' }],
        holds: ['Wants to go to Porto.'],
      },
    ],
  },
  {
    about: 'changed their mind back',
    told: [
      { says: 'Call me Sam.', learns: [{ add: 'Wants to be called Sam.' }], holds: ['Wants to be called Sam.'] },
      {
        says: 'No, call me Samuel.',
        learns: [{ from: 'Wants to be called Sam.', to: 'Wants to be called Samuel.' }],
        holds: ['Wants to be called Samuel.'],
      },
      {
        says: 'Sam is fine after all.',
        learns: [{ from: 'Wants to be called Samuel.', to: 'Wants to be called Sam.' }],
        holds: ['Wants to be called Sam.'],
      },
    ],
  },
  {
    about: 'changed their mind back and forth',
    told: [
      { says: 'Window seat, please.', learns: [{ add: 'Prefers window seats.' }], holds: ['Prefers window seats.'] },
      {
        says: 'Aisle is better.',
        learns: [{ from: 'Prefers window seats.', to: 'Prefers aisle seats.' }],
        holds: ['Prefers aisle seats.'],
      },
      {
        says: 'No, the window.',
        learns: [{ from: 'Prefers aisle seats.', to: 'Prefers window seats.' }],
        holds: ['Prefers window seats.'],
      },
      {
        says: 'The aisle, finally.',
        learns: [{ from: 'Prefers window seats.', to: 'Prefers aisle seats.' }],
        holds: ['Prefers aisle seats.'],
      },
    ],
  },
  {
    about: 'got another car',
    told: [
      { says: 'My car is a blue Polo.', learns: [{ add: 'Drives a blue Polo.' }], holds: ['Drives a blue Polo.'] },
      {
        says: 'I sold it and drive a red Yaris.',
        learns: [{ from: 'Drives a blue Polo.', to: 'Drives a red Yaris.' }],
        holds: ['Drives a red Yaris.'],
      },
    ],
  },
  {
    about: 'has a new number',
    told: [
      {
        says: 'My number ends in 4711.',
        learns: [{ add: 'Their number ends in 4711.' }],
        holds: ['Their number ends in 4711.'],
      },
      {
        says: 'It ends in 0815 from today.',
        learns: [{ from: 'Their number ends in 4711.', to: 'Their number ends in 0815.' }],
        holds: ['Their number ends in 0815.'],
      },
    ],
  },
  {
    about: 'a date that was postponed',
    told: [
      {
        says: 'The launch is on 3 May.',
        learns: [{ add: 'The launch is on 3 May.' }],
        holds: ['The launch is on 3 May.'],
      },
      {
        says: 'Postponed to 9 June.',
        learns: [{ from: 'The launch is on 3 May.', to: 'The launch is on 9 June.' }],
        holds: ['The launch is on 9 June.'],
      },
      {
        says: 'Postponed again, to 1 July.',
        learns: [{ from: 'The launch is on 9 June.', to: 'The launch is on 1 July.' }],
        holds: ['The launch is on 1 July.'],
      },
    ],
  },
  {
    about: 'a budget that was cut',
    told: [
      {
        says: 'The budget is 20,000 euros.',
        learns: [{ add: 'The budget is 20,000 euros.' }],
        holds: ['The budget is 20,000 euros.'],
      },
      {
        says: 'It was cut to 15,000.',
        learns: [{ from: 'The budget is 20,000 euros.', to: 'The budget is 15,000 euros.' }],
        holds: ['The budget is 15,000 euros.'],
      },
    ],
  },
  {
    about: 'became vegan',
    told: [
      { says: 'I eat fish.', learns: [{ add: 'Eats fish.' }], holds: ['Eats fish.'] },
      { says: 'I am vegan now.', learns: [{ from: 'Eats fish.', to: 'Is vegan.' }], holds: ['Is vegan.'] },
    ],
  },
  {
    about: 'a database that was replaced',
    told: [
      { says: 'We use MySQL.', learns: [{ add: 'The team uses MySQL.' }], holds: ['The team uses MySQL.'] },
      {
        says: 'We migrated to PostgreSQL.',
        learns: [{ from: 'The team uses MySQL.', to: 'The team uses PostgreSQL.' }],
        holds: ['The team uses PostgreSQL.'],
      },
    ],
  },
  {
    about: 'a name after a wedding',
    told: [
      { says: 'I am Ana Lima.', learns: [{ add: 'Is called Ana Lima.' }], holds: ['Is called Ana Lima.'] },
      {
        says: 'I am Ana Sousa since the wedding.',
        learns: [{ from: 'Is called Ana Lima.', to: 'Is called Ana Sousa.' }],
        holds: ['Is called Ana Sousa.'],
      },
    ],
  },
  {
    about: 'a manager who left',
    told: [
      { says: 'Tom is my manager.', learns: [{ add: 'Reports to Tom.' }], holds: ['Reports to Tom.'] },
      {
        says: 'I report to Priya now.',
        learns: [{ from: 'Reports to Tom.', to: 'Reports to Priya.' }],
        holds: ['Reports to Priya.'],
      },
    ],
  },
  {
    about: 'grew older',
    told: [
      { says: 'My son is six.', learns: [{ add: 'Has a son of six.' }], holds: ['Has a son of six.'] },
      {
        says: 'My son turned seven.',
        learns: [{ from: 'Has a son of six.', to: 'Has a son of seven.' }],
        holds: ['Has a son of seven.'],
      },
      {
        says: 'My son is eight!',
        learns: [{ from: 'Has a son of seven.', to: 'Has a son of eight.' }],
        holds: ['Has a son of eight.'],
      },
    ],
  },
  {
    about: 'corrected a slip',
    told: [
      { says: 'I was born in 1889.', learns: [{ add: 'Was born in 1889.' }], holds: ['Was born in 1889.'] },
      {
        says: '1989, of course.',
        learns: [{ from: 'Was born in 1889.', to: 'Was born in 1989.' }],
        holds: ['Was born in 1989.'],
      },
    ],
  },
  {
    about: 'married',
    told: [
      { says: 'I am single.', learns: [{ add: 'Is single.' }], holds: ['Is single.'] },
      {
        says: 'Kim and I got married.',
        learns: [{ from: 'Is single.', to: 'Is married to Kim.' }],
        holds: ['Is married to Kim.'],
      },
    ],
  },
  {
    about: 'married and divorced',
    told: [
      { says: 'I married Kim.', learns: [{ add: 'Is married to Kim.' }], holds: ['Is married to Kim.'] },
      {
        says: 'We are divorced.',
        learns: [{ from: 'Is married to Kim.', to: 'Is divorced from Kim.' }],
        holds: ['Is divorced from Kim.'],
      },
      {
        says: 'I married Kim again!',
        learns: [{ from: 'Is divorced from Kim.', to: 'Is married to Kim.' }],
        holds: ['Is married to Kim.'],
      },
    ],
  },
  {
    about: 'stopped',
    told: [
      { says: 'I smoke.', learns: [{ add: 'Smokes.' }], holds: ['Smokes.'] },
      { says: 'I have stopped.', learns: [{ end: 'Smokes.' }], holds: [] },
    ],
  },
  {
    about: 'stopped and began again',
    told: [
      { says: 'I run on Sundays.', learns: [{ add: 'Runs on Sundays.' }], holds: ['Runs on Sundays.'] },
      { says: 'My knee is bad, no more running.', learns: [{ end: 'Runs on Sundays.' }], holds: [] },
      { says: 'I run on Sundays again.', learns: [{ add: 'Runs on Sundays.' }], holds: ['Runs on Sundays.'] },
    ],
  },
  {
    about: 'a pet that died',
    told: [
      { says: 'I have a cat, Mia.', learns: [{ add: 'Has a cat called Mia.' }], holds: ['Has a cat called Mia.'] },
      { says: 'Mia died.', learns: [{ end: 'Has a cat called Mia.' }], holds: [] },
      { says: 'We have a dog now.', learns: [{ add: 'Has a dog.' }], holds: ['Has a dog.'] },
    ],
  },
  {
    about: 'one of two facts changed',
    told: [
      {
        says: 'I live in Bern and like tea.',
        learns: [{ add: 'Lives in Bern.' }, { add: 'Likes tea.' }],
        holds: ['Likes tea.', 'Lives in Bern.'],
      },
      {
        says: 'I moved to Basel.',
        learns: [{ from: 'Lives in Bern.', to: 'Lives in Basel.' }],
        holds: ['Likes tea.', 'Lives in Basel.'],
      },
    ],
  },
  {
    about: 'both facts changed',
    told: [
      {
        says: 'I live in Rome, I work at Fiat.',
        learns: [{ add: 'Lives in Rome.' }, { add: 'Works at Fiat.' }],
        holds: ['Lives in Rome.', 'Works at Fiat.'],
      },
      {
        says: 'New job at Olivetti, new flat in Turin.',
        learns: [
          { from: 'Works at Fiat.', to: 'Works at Olivetti.' },
          { from: 'Lives in Rome.', to: 'Lives in Turin.' },
        ],
        holds: ['Lives in Turin.', 'Works at Olivetti.'],
      },
    ],
  },
  {
    about: 'changed twice in one message',
    told: [
      { says: 'I live in Graz.', learns: [{ add: 'Lives in Graz.' }], holds: ['Lives in Graz.'] },
      {
        says: 'I moved to Linz, no, to Wels.',
        learns: [{ from: 'Lives in Graz.', to: 'Lives in Wels.' }],
        holds: ['Lives in Wels.'],
      },
      { says: 'And I own a boat.', learns: [{ add: 'Owns a boat.' }], holds: ['Lives in Wels.', 'Owns a boat.'] },
    ],
  },
  {
    about: 'one changed while another ended',
    told: [
      {
        says: 'I play chess on Mondays and sing.',
        learns: [{ add: 'Plays chess on Mondays.' }, { add: 'Sings in a choir.' }],
        holds: ['Plays chess on Mondays.', 'Sings in a choir.'],
      },
      {
        says: 'Chess is on Fridays now, I left the choir.',
        learns: [{ from: 'Plays chess on Mondays.', to: 'Plays chess on Fridays.' }, { end: 'Sings in a choir.' }],
        holds: ['Plays chess on Fridays.'],
      },
    ],
  },
  {
    about: 'two people of the same name',
    told: [
      {
        says: 'Ana, my sister, lives in Faro.',
        learns: [{ add: 'Their sister Ana lives in Faro.' }],
        holds: ['Their sister Ana lives in Faro.'],
      },
      {
        says: 'Ana from work lives in Braga.',
        learns: [{ add: 'Their colleague Ana lives in Braga.' }],
        holds: ['Their colleague Ana lives in Braga.', 'Their sister Ana lives in Faro.'],
      },
      {
        says: 'My sister Ana moved to Porto.',
        learns: [{ from: 'Their sister Ana lives in Faro.', to: 'Their sister Ana lives in Porto.' }],
        holds: ['Their colleague Ana lives in Braga.', 'Their sister Ana lives in Porto.'],
      },
    ],
  },
  {
    about: 'told twice',
    told: [
      { says: 'I live in Ghent.', learns: [{ add: 'Lives in Ghent.' }], holds: ['Lives in Ghent.'] },
      { says: 'As I said, Ghent.', learns: [{ add: 'Lives in Ghent.' }], holds: ['Lives in Ghent.'] },
      {
        says: 'I moved to Bruges.',
        learns: [{ from: 'Lives in Ghent.', to: 'Lives in Bruges.' }],
        holds: ['Lives in Bruges.'],
      },
      { says: 'Yes, Bruges.', learns: [{ add: 'Lives in Bruges.' }], holds: ['Lives in Bruges.'] },
    ],
  },
  {
    about: 'nothing changed',
    told: [
      { says: 'I was born in Kyiv.', learns: [{ add: 'Was born in Kyiv.' }], holds: ['Was born in Kyiv.'] },
      {
        says: 'I live in Lisbon.',
        learns: [{ add: 'Lives in Lisbon.' }],
        holds: ['Lives in Lisbon.', 'Was born in Kyiv.'],
      },
      { says: 'Nice weather here.', learns: [], holds: ['Lives in Lisbon.', 'Was born in Kyiv.'] },
    ],
  },
  {
    about: 'a reminder that was done',
    told: [
      { says: 'Remind me to call Ada.', learns: [{ add: 'Wants to call Ada.' }], holds: ['Wants to call Ada.'] },
      {
        says: 'I called her. Remind me of the tax.',
        learns: [{ end: 'Wants to call Ada.' }, { add: 'Has to do the tax.' }],
        holds: ['Has to do the tax.'],
      },
      { says: 'Done, too.', learns: [{ end: 'Has to do the tax.' }], holds: [] },
    ],
  },
];
