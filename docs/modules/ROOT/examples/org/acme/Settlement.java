package org.acme;

import java.math.BigDecimal;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

@ApplicationScoped
public class Settlement {

    @Inject
    Withdrawals withdrawals;

    @Transactional
    void settle(List<String> accounts, BigDecimal amount) {
        for (String account : accounts) {
            withdrawals.withdraw(account, amount); // <1>
        }
    }
}
