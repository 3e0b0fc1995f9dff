//! Words that are in nearly every prompt and lesson about software, so they say little.

const SOFTWARE_TERMS: &str = "\
    add added again app bug build button change changed check class code command comment commit component config \
    correct create data delete docs documentation error errors fail failed failing fails failure feature file files \
    find fix fixed folder function implement issue line method module name names new old option output page pages \
    problem program project read readme refactor remove rename request result run running script server set show \
    slow start step stop system test tests time type update user value variable version work working works write \
    wrong wrote";

pub(crate) fn is_software_term(word: &str) -> bool {
    SOFTWARE_TERMS.split(' ').any(|term| term == word)
}
